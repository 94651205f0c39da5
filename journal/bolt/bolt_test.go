package bolt_test

import (
	"path/filepath"
	"testing"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
)

func TestJournal(t *testing.T) {
	journaltest.Run(t, func(t *testing.T) (journal.Journal, func() journal.Journal) {
		path := filepath.Join(t.TempDir(), "journal.db")
		j := open(t, path)
		return j, func() journal.Journal {
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			j = open(t, path)
			return j
		}
	})
}

// open opens a journal for the length of a test.
func open(t *testing.T, path string) *bolt.Journal {
	t.Helper()
	j, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}
