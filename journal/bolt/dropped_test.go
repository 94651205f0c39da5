package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// TestCase156_PagesDropped drops pages of a commit from the system's memory, as a
// failed sync may: each alone, all, and all but each. What is then answered is
// true of a journal that is whole.
func TestCase156_PagesDropped(t *testing.T) {
	const page = 4096
	pages, unknown, refused := 0, 0, 0
	for n := 0; n == 0 || n <= 2*pages; n++ {
		var dropped []int
		s := newStage(t, fault{err: errSync, done: true})
		s.options.commit = func(tx *bbolt.Tx) error {
			s.armed = false
			before := s.bytes()
			if err := tx.Commit(); err != nil {
				return err
			}
			dropped = changed(before, s.bytes(), page)
			pages = len(dropped)
			switch { // n is 0: all
			case n > pages:
				dropped = append(dropped[:n-pages-1:n-pages-1], dropped[n-pages:]...)
			case n > 0:
				dropped = dropped[n-1 : n]
			}
			s.restore(before, dropped, page)
			s.options.commit = nil
			return errSync
		}
		err := s.Append(t.Context(), s.entries[1])
		if errors.Is(err, journal.ErrUnknownOutcome) {
			unknown++
			if _, err := Open(s.path, Options{}); err == nil {
				t.Errorf("without the pages %v it opens", dropped)
			}
			continue
		}
		if err == nil {
			t.Fatalf("without the pages %v the event is said to be there", dropped) // there is not one too many
		}
		s.wantShown(1)
		journaltest.Append(t, s.Journal, s.entries[1:])
		s.wantShown(len(s.entries))
		if err := s.prove(); err != nil {
			t.Errorf("without the pages %v: %v", dropped, err)
		}
		refused++
	}
	if pages < 3 || unknown == 0 || refused == 0 {
		t.Errorf("%d pages, %d outcomes are unknown, %d refused", pages, unknown, refused)
	}
}

func (s *stage) bytes() []byte {
	data, err := os.ReadFile(s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	return data
}

// changed are the pages in which a file is another one than before.
func changed(before, after []byte, page int) (numbers []int) {
	for at := 0; at < len(after); at += page {
		if at >= len(before) || !bytes.Equal(before[at:at+page], after[at:at+page]) {
			numbers = append(numbers, at/page)
		}
	}
	return numbers
}

// restore makes pages what they were; those that were not there are zeros.
func (s *stage) restore(before []byte, numbers []int, page int) {
	f, err := os.OpenFile(s.path, os.O_WRONLY, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	for _, n := range numbers {
		old := make([]byte, page)
		if n*page < len(before) {
			copy(old, before[n*page:])
		}
		if _, err := f.WriteAt(old, int64(n*page)); err != nil {
			s.t.Fatal(err)
		}
	}
}

// A copy that was begun before a crash is made again at the start, also when all
// of it was written but for its last page.
func TestInterruptedCopies(t *testing.T) {
	for _, size := range []int{0, 1, 5000, 1 << 30} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			s := newStage(t, fault{})
			s.options.commit = nil
			journaltest.Append(t, s.Journal, s.entries[1:])
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			data := s.bytes()
			if err := os.WriteFile(s.path+copySuffix, data[:min(size, len(data))], 0o600); err != nil {
				t.Fatal(err)
			}
			j, err := Open(s.path, Options{OnReplaced: func(kept string) { s.kept = kept }})
			if err != nil {
				t.Fatal(err)
			}
			s.Journal = j
			s.wantShown(len(s.entries))
			if kept, err := os.ReadFile(s.kept); err != nil || !bytes.Equal(kept, data) {
				t.Errorf("the old file is kept at %q, %v", s.kept, err)
			}
			if files, err := filepath.Glob(s.path + "*"); len(files) != 2 || err != nil {
				t.Errorf("the folder holds %q, %v", files, err)
			}
		})
	}
}

// Readers leave an interrupted copy as it is.
func TestReadersLeaveCopies(t *testing.T) {
	s := newStage(t, fault{})
	if err := errors.Join(s.Close(), os.WriteFile(s.path+copySuffix, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	j, err := Open(s.path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Journal = j
	s.wantShown(1)
	if !Doubtful(s.path) {
		t.Error("the copy is gone")
	}
}
