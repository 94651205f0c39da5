package sqlite_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/projections/pointers"
	"puddle/projections/pointers/sqlite"
)

// TestOpenReadOnly: tables are looked at, with what a process that was killed left in
// the log, and the folder is as it was.
func TestOpenReadOnly(t *testing.T) {
	ctx, id := context.Background(), uuid.New()
	folder := t.TempDir()
	path := filepath.Join(folder, "puddle.db")
	db, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	story := journaltest.NewStory(id)
	story.CreateNamespace(journal.Namespace{"a"}, nil)
	story.CreateTable(journal.Identifier{Namespace: journal.Namespace{"a"}, Name: "t"})
	for _, e := range journaltest.Entries(t, story.Drafts, journaltest.Start) {
		if err := db.Warehouse(id).Apply(ctx, e.Event); err != nil {
			t.Fatal(err)
		}
	}
	want := dumpOf(t, db, id)
	killed := t.TempDir() // as a process leaves it that is killed now
	if err := os.CopyFS(killed, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	temporary := t.TempDir()
	for name, folder := range map[string]string{"stopped": folder, "killed": killed} {
		before := treeOf(t, folder)
		looked, err := sqlite.OpenReadOnly(filepath.Join(folder, "puddle.db"), temporary)
		if err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(want, dumpOf(t, looked, id)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if _, err := looked.Begin(ctx); !errors.Is(err, sqlite.ErrReadOnly) {
			t.Errorf("%s: begin: %v", name, err)
		}
		if err := looked.Warehouse(id).Reset(ctx); !errors.Is(err, sqlite.ErrReadOnly) {
			t.Errorf("%s: reset: %v", name, err)
		}
		if err := errors.Join(looked.Close(), looked.Close()); err != nil {
			t.Error(name, err)
		}
		if diff := cmp.Diff(before, treeOf(t, folder)); diff != "" {
			t.Errorf("%s: it was changed:\n%s", name, diff)
		}
	}
	if left := treeOf(t, temporary); len(left) > 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestOpenReadOnlyRefuses(t *testing.T) {
	folder := t.TempDir()
	for name, want := range map[string]error{"absent": os.ErrNotExist, "empty": pointers.ErrSchema, "text": pointers.ErrCorrupt} {
		path := filepath.Join(folder, name)
		if content := map[string]string{"empty": "", "text": "this is no database, and never was one"}; name != "absent" {
			if err := os.WriteFile(path, []byte(content[name]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := sqlite.OpenReadOnly(path, ""); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func dumpOf(t *testing.T, store projections.Store, id uuid.UUID) projections.Dump {
	t.Helper()
	dump, err := store.Warehouse(id).Dump(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return dump
}

// treeOf is every file of a folder with its size and time.
func treeOf(t *testing.T, folder string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			all = append(all, fs.FormatFileInfo(info)+info.ModTime().String()+path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
