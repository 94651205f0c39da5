package bolt_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/bolt"
)

// leaves are the pages of a bucket of the lake that hold keys, in their order.
func leaves(t *testing.T, path, name string) (all []uint64) {
	t.Helper()
	root := uint64(0)
	change(t, path, func(tx *bbolt.Tx) error {
		root = uint64(bucket(tx, lake, name).Root())
		return nil
	})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	order := binary.NativeEndian
	var below func(page uint64)
	below = func(page uint64) {
		at := data[int(page)*os.Getpagesize():]
		if order.Uint16(at[8:]) == 2 {
			all = append(all, page)
			return
		}
		for i := range int(order.Uint16(at[10:])) {
			below(order.Uint64(at[16+16*i+8:]))
		}
	}
	below(root)
	return all
}

// An id or an answer may be put into any leaf, of which bbolt then gives up all pages
// that it says it runs over: each flipped bit of that number, which nothing else that is
// read depends on, is found by a look at the pages, and refuses a start.
func TestCase155_AnyLeafRunsOverOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	withRequests(t, path, 300)
	for _, name := range []string{"ids", "requests", "expiries"} {
		all := leaves(t, path, name)
		if len(all) < 3 {
			t.Fatalf("%s has %d leaves", name, len(all))
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range []uint64{all[0], all[len(all)/2], all[len(all)-2], all[len(all)-1]} {
			for bit := range 32 {
				at := int(page)*os.Getpagesize() + 12 + bit/8
				what := fmt.Sprintf("%s: page %d, bit %d of how many more it is", name, page, bit)
				put(t, path, at, whole[at]^1<<(bit%8))
				wantPageDamage(t, path, what)
				wantFlaw(t, path, what)
				put(t, path, at, whole[at])
			}
		}
	}
	open(t, path).Close()
}

// A compaction writes all to a new file, and does not ask how far leaves run.
func TestCase155_CompactMendsLeaves(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	entries := withRequests(t, path, 300)
	page := leaves(t, path, "ids")[1]
	put(t, path, int(page)*os.Getpagesize()+12, 1)
	wantPageDamage(t, path, "a leaf that runs over the next page")
	if _, err := bolt.Compact(t.Context(), path, bolt.CompactOptions{}); err != nil {
		t.Fatal(err)
	}
	wantAll(t, open(t, path), path, "compacted", entries)
}

// wantFlaw looks at the pages as verify does.
func wantFlaw(t *testing.T, path, what string) {
	t.Helper()
	flaws := 0
	if err := bolt.CheckPages(context.Background(), path, func(journal.Flaw) { flaws++ }); err != nil || flaws == 0 {
		t.Errorf("%s: %d flaws, %v", what, flaws, err)
	}
}
