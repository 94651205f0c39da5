package bolt_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
)

// TestCase156_FileOutOfPlace takes the file from its path while it is open: what
// would not be there at the next start is refused, and the writer closes.
func TestCase156_FileOutOfPlace(t *testing.T) {
	for name, take := range map[string]func(path string) error{
		"deleted": os.Remove,
		"moved":   func(path string) error { return os.Rename(path, path+".away") },
		"folder moved": func(path string) error {
			return os.Rename(filepath.Dir(path), filepath.Dir(path)+".away")
		},
		"replaced by a copy": func(path string) error {
			text, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(path+".copy", text, 0o600), os.Rename(path+".copy", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data", "journal.db")
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			j, err := bolt.Open(path, bolt.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			warehouse := uuid.New()
			entries := history(t, warehouse, 3)
			journaltest.Append(t, j, entries[:1])
			if err := take(path); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				err := j.Append(t.Context(), entries[1])
				if !errors.Is(err, journal.ErrClosed) || errors.Is(err, journal.ErrUnknownOutcome) {
					t.Errorf("append: %v", err)
				}
			}
			if got := journaltest.Events(t, j.Warehouse(warehouse), 0); len(got) != 1 {
				t.Errorf("%d events are read after that", len(got))
			}
		})
	}
}
