package bolt_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
)

// The file's size is told, and how much of it is free: more is never free than
// there is, and what is appended takes room.
func TestSpace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	j, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	measured := func() bolt.Space {
		s, err := j.Space(t.Context())
		info, failed := os.Stat(path)
		if err != nil || failed != nil || s.File != info.Size() || s.Free < 0 || s.Free >= s.File {
			t.Fatalf("%+v, %v; %v", s, err, failed)
		}
		return s
	}
	before := measured()
	journaltest.Append(t, j, history(t, lake, 500))
	if after := measured(); after.File-after.Free < before.File-before.Free+500*100 {
		t.Errorf("500 events took %+v to %+v", before, after)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Space(t.Context()); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
