package recover_test

import (
	"path/filepath"
	"testing"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
	"puddle/recover"
)

// TestCarryKeepsChains: documents that are patches on each other are taken over as they
// are, though a journal takes no patch on one of the same group.
func TestCarryKeepsChains(t *testing.T) {
	open := func(name string) journal.Journal {
		j, err := bolt.Open(filepath.Join(t.TempDir(), name), bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { j.Close() })
		return j
	}
	from, into := open("from.db"), open("into.db")
	c := journaltest.Chain(t, lake, journal.MaxPatches+8)
	c.Append(t, from)
	for _, want := range []int{len(c.Entries), 0} {
		carried, err := recover.Carry(t.Context(), from, into, lake)
		if err != nil || carried != want {
			t.Fatalf("carried %d events, not %d: %v", carried, want, err)
		}
	}
	c.Want(t, into)
}
