package archive_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/projections/archive"
)

// frozen is where the bytes are that every later build must read (law 9). Files are
// added there and never changed.
const frozen = "../../fixtures/formats/v1"

// golden is the archive of the frozen journal's first warehouse, by the names of the
// frozen files: the whole history in one segment, and the hint.
func golden(t *testing.T) (map[string]string, *memory.Store, journal.Journal) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(frozen, "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "journal.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	ids, err := j.Warehouses(ctx)
	if err != nil {
		t.Fatal(err)
	}
	head, err := j.Warehouse(ids[0]).Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	store := memory.New()
	s := archive.NewSealer(archive.Options{ID: ids[0], Store: store, From: j, Failed: func(err error) { t.Error(err) }}, 500)
	if err := s.Seal(ctx); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"archive-segment.events":    archive.EventsKey(head.Incarnation, 1),
		"archive-segment.documents": archive.DocumentsKey(head.Incarnation, 1),
		"archive-head.json":         archive.HintKey,
	}, store, j
}

func get(t *testing.T, store *memory.Store, key string) []byte {
	t.Helper()
	data, err := store.Get(ctx, key, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFrozenBytes: what is written is what was frozen, but for the compression; a file
// that is missing is written, for a look and a commit.
func TestFrozenBytes(t *testing.T) {
	files, store, _ := golden(t)
	for name, key := range files {
		got, path := get(t, store, key), filepath.Join(frozen, name)
		want, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%s was missing and is written now", path)
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if strings.HasSuffix(name, ".json") {
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-frozen +got):\n%s", name, diff)
			}
			continue
		}
		wantHead, wantPayload, err := archive.Inflated(key, want)
		if err != nil {
			t.Fatal(err)
		}
		head, payload, err := archive.Inflated(key, got)
		if err != nil || string(head) != string(wantHead) || !bytes.Equal(payload, wantPayload) {
			t.Errorf("%s, %v:\n%s\nwant\n%s", name, err, head, wantHead)
		}
	}
}

// TestFrozenFilesAreRead: the frozen archive is the frozen journal.
func TestFrozenFilesAreRead(t *testing.T) {
	files, _, j := golden(t)
	store := memory.New()
	for name, key := range files {
		data, err := os.ReadFile(filepath.Join(frozen, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Create(ctx, key, data); err != nil {
			t.Fatal(err)
		}
	}
	a, err := archive.Open(ctx, store)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(entries(t, j.Warehouse(a.ID()), 0), entries(t, a.Warehouse(a.ID()), 0), same); diff != "" {
		t.Errorf("entries (-journal +archive):\n%s", diff)
	}
}

// TestDocsShowFrozenHeaders: the page shows the headers of the frozen files.
func TestDocsShowFrozenHeaders(t *testing.T) {
	page, err := os.ReadFile("../../docs/formats/archive.md")
	if err != nil {
		t.Fatal(err)
	}
	files, _, _ := golden(t)
	for name, key := range files {
		data, err := os.ReadFile(filepath.Join(frozen, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, ".json") {
			if data, _, err = archive.Inflated(key, data); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Contains(page, append([]byte("\n"), data...)) {
			t.Errorf("the page does not show %s:\n%s", name, data)
		}
	}
}
