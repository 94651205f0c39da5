//go:build linux

package bolt

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// swapped is a journal whose file can be another one for a while.
type swapped struct {
	*Journal
	t    *testing.T
	file *os.File
}

func openSwapped(t *testing.T, path string) *swapped {
	t.Helper()
	s := &swapped{t: t}
	j, err := Open(path, Options{openFile: func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
		s.file, err = os.OpenFile(name, flag, mode)
		return s.file, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	s.Journal = j
	return s
}

// as puts another file under the journal's descriptor while do runs.
func (s *swapped) as(path string, flag int, do func()) {
	s.t.Helper()
	other, err := os.OpenFile(path, flag, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer other.Close()
	fd := int(s.file.Fd())
	own, err := syscall.Dup(fd) // keeps the lock, too
	if err != nil {
		s.t.Fatal(err)
	}
	defer syscall.Close(own)
	if err := syscall.Dup3(int(other.Fd()), fd, syscall.O_CLOEXEC); err != nil {
		s.t.Fatal(err)
	}
	do()
	if err := syscall.Dup3(own, fd, syscall.O_CLOEXEC); err != nil {
		s.t.Fatal(err)
	}
}

func threeEntries(t *testing.T) (uuid.UUID, []journal.Entry) {
	t.Helper()
	warehouse := uuid.New()
	s := journaltest.NewStory(warehouse)
	s.CreateNamespace(journal.Namespace{"a"}, nil)
	s.CreateNamespace(journal.Namespace{"b"}, nil)
	return warehouse, journaltest.Entries(t, s.Drafts, journaltest.Start)
}

// A write that fails, as on a full disk, is refused clearly, and appends go on
// when there is space.
func TestCase156_WriteFails(t *testing.T) {
	warehouse, entries := threeEntries(t)
	path := filepath.Join(t.TempDir(), "journal.db")
	j := openSwapped(t, path)
	journaltest.Append(t, j, entries[:1])

	j.as(path, os.O_RDONLY, func() {
		for range 3 {
			err := j.Append(t.Context(), entries[1])
			if err == nil || errors.Is(err, journal.ErrUnknownOutcome) || errors.Is(err, journal.ErrClosed) {
				t.Errorf("append to a file that takes no bytes: %v", err)
			}
		}
	})
	if got := journaltest.Events(t, j.Warehouse(warehouse), 0); len(got) != 1 {
		t.Errorf("%d events are there", len(got))
	}

	journaltest.Append(t, j, entries[1:])
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got := journaltest.Events(t, again.Warehouse(warehouse), 0); len(got) != len(entries) {
		t.Errorf("%d events are there after opening again", len(got))
	}
}

// A sync that fails proves nothing, also when no meta page shows the group.
func TestCase156_SyncFails(t *testing.T) {
	_, entries := threeEntries(t)
	path := filepath.Join(t.TempDir(), "journal.db")
	j := openSwapped(t, path)
	journaltest.Append(t, j, entries[:1])

	j.as(os.DevNull, os.O_RDWR, func() { // takes every byte, and no sync
		if err := j.Append(t.Context(), entries[1]); !errors.Is(err, journal.ErrUnknownOutcome) {
			t.Errorf("append without a sync: %v", err)
		}
	})
	if err := j.Append(t.Context(), entries[1]); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("append after that: %v", err)
	}
}

// A meta page that was written although its write failed leaves the outcome
// unknown.
func TestCase156_MetaWritten(t *testing.T) {
	_, entries := threeEntries(t)
	j := openSwapped(t, filepath.Join(t.TempDir(), "journal.db"))
	journaltest.Append(t, j, entries[:1])
	tx, err := j.db.Begin(false)
	if err != nil {
		t.Fatal(err)
	}
	last := tx.ID()
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	failed := &os.PathError{Op: "write", Err: syscall.ENOSPC}
	if j.unseen(last, failed) {
		t.Error("a transaction whose meta page is there is said to be unseen")
	}
	if !j.unseen(last+1, failed) {
		t.Error("a transaction that never was is not said to be unseen")
	}
	if j.unseen(last+1, syscall.EIO) {
		t.Error("a failed sync is said to be unseen")
	}
}
