//go:build linux

package bolt

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// spoiled is a journal whose file can turn into another one under its hands.
type spoiled struct {
	*Journal
	file *os.File
}

func openSpoiled(t *testing.T, path string) *spoiled {
	t.Helper()
	s := &spoiled{}
	j, err := Open(path, Options{openFile: keep(&s.file, nil)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	s.Journal = j
	return s
}

// with puts another file under the descriptor that the journal has open.
func (s *spoiled) with(t *testing.T, path string, flag int) {
	t.Helper()
	other, err := os.OpenFile(path, flag, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := syscall.Dup3(int(other.Fd()), int(s.file.Fd()), syscall.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
}

func someEntries(t *testing.T, n int) (uuid.UUID, []journal.Entry) {
	t.Helper()
	warehouse := uuid.New()
	s := journaltest.NewStory(warehouse)
	s.CreateNamespace(journal.Namespace{"a"}, nil)
	for len(s.Drafts) < n {
		s.Commit(journal.Identifier{Namespace: journal.Namespace{"a"}, Name: "t"})
	}
	return warehouse, journaltest.Entries(t, s.Drafts, journaltest.Start)
}

// Files that take no bytes and no syncs: both are found out, refused, and written
// again without a restart.
func TestCase156_RealFaults(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, s *spoiled, path string){
		"write": func(t *testing.T, s *spoiled, path string) { s.with(t, path, os.O_RDONLY) },
		"sync":  func(t *testing.T, s *spoiled, _ string) { s.with(t, os.DevNull, os.O_RDWR) },
		"file gone from under it": func(t *testing.T, s *spoiled, _ string) {
			if err := s.file.Close(); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			warehouse, entries := someEntries(t, 4)
			path := filepath.Join(t.TempDir(), "journal.db")
			j := openSpoiled(t, path)
			journaltest.Append(t, j, entries[:2])
			for range 2 {
				spoil(t, j, path)
				err := j.Append(t.Context(), entries[2])
				if err == nil || errors.Is(err, journal.ErrUnknownOutcome) || errors.Is(err, journal.ErrClosed) {
					t.Errorf("append: %v", err)
				}
			}
			if got := journaltest.Events(t, j.Warehouse(warehouse), 0); len(got) != 2 {
				t.Errorf("%d events are there", len(got))
			}
			journaltest.Append(t, j, entries[2:])
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			again := openSpoiled(t, path)
			if got := journaltest.Events(t, again.Warehouse(warehouse), 0); len(got) != len(entries) {
				t.Errorf("%d events are there after opening again", len(got))
			}
		})
	}
}

// A disk that takes no larger file: no copy is made, what does not fit is refused,
// and appends go on when there is space.
func TestCase156_NoSpaceToGrow(t *testing.T) {
	warehouse, entries := someEntries(t, 9)
	for i := range entries[2:] {
		entries[i+2].Documents = []journal.Document{{Codec: journal.CodecWholeZstd, Data: make([]byte, 5<<20)}}
	}
	path := filepath.Join(t.TempDir(), "journal.db")
	j := openSpoiled(t, path)
	journaltest.Append(t, j, entries[:2])
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := 2
	limited(t, uint64(info.Size()), func() {
		for err = j.Append(t.Context(), entries[refused]); err == nil; err = j.Append(t.Context(), entries[refused]) {
			refused++
		}
	})
	if !strings.Contains(err.Error(), "file resize error") || errors.Is(err, journal.ErrUnknownOutcome) || Doubtful(path) {
		t.Errorf("append what does not fit: %v", err)
	}
	if kept, _ := filepath.Glob(path + ".*"); len(kept) != 0 {
		t.Errorf("the file was replaced: %q", kept)
	}
	if got := journaltest.Events(t, j.Warehouse(warehouse), 0); len(got) != refused {
		t.Errorf("%d events are there, want %d", len(got), refused)
	}
	journaltest.Append(t, j, entries[refused:])
}

// limited bounds the size of files while do runs.
func limited(t *testing.T, size uint64, do func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	lower := limit
	lower.Cur = size
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &lower); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
	do()
}
