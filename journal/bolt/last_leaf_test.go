package bolt_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// lastLeaf is the page of a bucket of the lake that the next append replaces.
func lastLeaf(t *testing.T, path, name string) uint64 {
	t.Helper()
	all := leaves(t, path, name)
	return all[len(all)-1]
}

// One flipped bit in what the page that the next append replaces says of itself would
// give up pages that are in use: such a journal is refused.
func TestCase155_LastLeafRunsOverOthers(t *testing.T) {
	for _, c := range []struct {
		name   string
		events int
	}{{"events", 400}, {"documents", 400}, {"ids", 400}, {"events", 8}, {"documents", 30}} {
		name, path := c.name, filepath.Join(t.TempDir(), "journal.db")
		fill(t, path, c.events)
		page := lastLeaf(t, path, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		begin := int(page) * os.Getpagesize()
		for bit := range 8 * 16 {
			at := begin + bit/8
			put(t, path, at, whole[at]^1<<(bit%8))
			wantPageDamage(t, path, fmt.Sprintf("%s: bit %d of byte %d", name, bit%8, bit/8))
			put(t, path, at, whole[at])
		}
		open(t, path).Close()
	}
}
