package bolt_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/bolt"
)

const smallEvents = 2

// small is a closed journal of a few records, up to its last byte that is not zero.
func small(t *testing.T) (path string, whole []byte, content string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "journal.db")
	withRequests(t, path, smallEvents)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flaws, content := flawsOf(t, path)
	if len(flaws) > 0 {
		t.Fatalf("a whole journal: %v", flaws)
	}
	return path, bytes.TrimRight(whole, "\x00"), content
}

// TestCase155_EveryPartOfEveryPage flips bits in all that a page is made of: densely
// where pages and their elements begin, and with another bit of each byte in turn.
func TestCase155_EveryPartOfEveryPage(t *testing.T) {
	const page, head = 4096, 80 // of a page: its header and first elements, or a mark
	path, whole, content := small(t)
	every, rest := 5, 401
	if testing.Short() {
		every, rest = 37, 4001
	}
	found, idle := map[bool]int{}, 0
	for bit := 0; bit < 8*len(whole); {
		at := bit / 8
		put(t, path, at, whole[at]^1<<(bit%8))
		flaws, seen := flawsOf(t, path)
		put(t, path, at, whole[at])
		begins := at%page < head
		switch {
		case len(flaws) > 0:
			found[begins]++
		case seen != content:
			t.Errorf("the flip of bit %d of byte %d is not found, and changes what is read", bit%8, at)
		default:
			idle++
		}
		if bit += every; !begins {
			next := (at/page + 1) * page * 8
			bit = min(bit-every+rest, max(next, bit))
		}
	}
	if found[true] == 0 || found[false] == 0 {
		t.Errorf("found %v", found)
	}
	t.Logf("%d bytes: %d flips where pages begin and %d in them found, %d in what holds nothing", len(whole), found[true], found[false], idle)
}

// TestCase153_TruncatedAnywhere cuts the file at many places, as it is and filled
// up with zeros, as a file system does that had allocated ahead. It opens with all
// that it had or not at all, and the check of its pages says so.
func TestCase153_TruncatedAnywhere(t *testing.T) {
	path, whole, content := small(t)
	step := 509
	if testing.Short() {
		step = 4093
	}
	judge := func(size, zeros int) {
		data := append(bytes.Clone(whole[:size]), make([]byte, zeros)...)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		flaws, seen := flawsOrError(t, path)
		if len(flaws) == 0 && seen != content {
			t.Errorf("cut at %d with %d zeros: nothing is found, and something is lost", size, zeros)
		}
		if n := readAll(t, path); n != 0 && n != smallEvents {
			t.Errorf("cut at %d with %d zeros: it shows %d events", size, zeros, n)
		}
	}
	for size := len(whole) - 1; size > 0; size -= step {
		judge(size, 0)
		judge(size, len(whole)-size+8192)
	}
}

// flawsOrError is flawsOf for files that may be too short to be read.
func flawsOrError(t *testing.T, path string) (found []string, content string) {
	t.Helper()
	err := bolt.CheckPages(t.Context(), path, func(journal.Flaw) {})
	if err != nil {
		return []string{err.Error()}, ""
	}
	flaws, content := flawsOf(t, path)
	for _, f := range flaws {
		found = append(found, f.Reason)
	}
	return found, content
}

// One flipped bit makes the key of the first event that of none: the rest is not
// taken for an empty history.
func TestCase155_FirstKeyOfNoEvent(t *testing.T) {
	for name, odd := range map[string][]byte{"zero": key(0), "short": {0}} {
		path := filepath.Join(t.TempDir(), "journal.db")
		fill(t, path, damagedEvents)
		change(t, path, func(tx *bbolt.Tx) error {
			b := bucket(tx, lake, "events")
			return errors.Join(b.Put(odd, b.Get(key(1))), b.Delete(key(1)))
		})
		if flaws, _ := flawsOf(t, path); len(flaws) == 0 {
			t.Errorf("%s: nothing is found", name)
		}
	}
}
