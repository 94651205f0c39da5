package bolt

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// TestUnknownOutcome takes the file away under an append: nothing tells what
// reached the disk, so the writer is closed and reads go on.
func TestUnknownOutcome(t *testing.T) {
	warehouse := uuid.New()
	s := journaltest.NewStory(warehouse)
	s.CreateNamespace(journal.Namespace{"a"}, nil)
	s.CreateNamespace(journal.Namespace{"b"}, nil)
	entries := journaltest.Entries(t, s.Drafts, journaltest.Start)

	path := filepath.Join(t.TempDir(), "journal.db")
	var file *os.File
	j, err := Open(path, Options{openFile: func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
		file, err = os.OpenFile(name, flag, mode)
		return file, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	journaltest.Append(t, j, entries[:1])
	file.Close()

	err = j.Append(t.Context(), entries[1])
	if !errors.Is(err, journal.ErrUnknownOutcome) || !errors.Is(err, os.ErrClosed) {
		t.Errorf("append without a file: %v", err)
	}
	if err := j.Append(t.Context(), entries[1]); !errors.Is(err, journal.ErrClosed) || errors.Is(err, journal.ErrUnknownOutcome) {
		t.Errorf("append after that: %v", err)
	}
	if got := journaltest.Events(t, j.Warehouse(warehouse), 0); len(got) != 1 {
		t.Errorf("%d events are read after that", len(got))
	}
	if err := j.Close(); err == nil {
		t.Error("close does not tell that the file is gone")
	}

	j, err = Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, found, err := j.Warehouse(warehouse).Find(t.Context(), entries[1].Event.ID); found || err != nil {
		t.Errorf("find what was never written: %v, %v", found, err)
	}
	journaltest.Append(t, j, entries[1:])
}

// An answer whose outcome is unknown closes the writer as an event's does.
func TestUnknownOutcomeOfAnAnswer(t *testing.T) {
	warehouse := uuid.New()
	path := filepath.Join(t.TempDir(), "journal.db")
	var file *os.File
	j, err := Open(path, Options{openFile: keep(&file, nil)})
	if err != nil {
		t.Fatal(err)
	}
	entries := journaltest.Entries(t, journaltest.NewStory(warehouse).Drafts, journaltest.Start)
	journaltest.Append(t, j, entries)
	file.Close()
	a := journal.Answer{Status: 409, Request: journal.Request{
		Actor: journal.Anonymous, Key: uuid.NewString(), Route: "POST /", Until: journaltest.Start.Add(time.Hour),
	}}
	if err := j.Remember(t.Context(), warehouse, journaltest.Start, a); !errors.Is(err, journal.ErrUnknownOutcome) {
		t.Errorf("remember without a file: %v", err)
	}
	if err := j.Remember(t.Context(), warehouse, journaltest.Start, a); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("after that: %v", err)
	}
	if err := j.Close(); err == nil {
		t.Error("close does not tell that the file is gone")
	}
}

// TestGuard: what bbolt panics about and memory that is not there are damage.
func TestGuard(t *testing.T) {
	var damage *journal.Damage
	if err := guard(func() error { panic("page 7 is odd") }); !errors.As(err, &damage) {
		t.Errorf("a panic: %v", err)
	}
	if err := guard(func() error { return os.ErrClosed }); err != os.ErrClosed {
		t.Errorf("an error: %v", err)
	}
}
