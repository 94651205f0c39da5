package dir_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/internal/warehouse"
)

// TestCase52_Oddities: what is no file is told by name and not opened, and what a write
// has left is not.
func TestCase52_Oddities(t *testing.T) {
	store, root, outside := linked(t)
	folder := filepath.Join(root, "odd")
	if err := os.MkdirAll(filepath.Join(folder, "inner", "more"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "two\nlines", warehouse.TempPrefix + "left"} {
		write(t, filepath.Join(folder, name), "x")
	}
	if err := errors.Join(os.Symlink(filepath.Join(outside, "secret"), filepath.Join(folder, "a.json")), syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600)); err != nil {
		t.Fatal(err)
	}
	want := []warehouse.Oddity{
		{Name: "a.json", What: "a link"}, {Name: "inner", What: "a folder"}, {Name: "pipe", What: "no file"},
		{Name: "two\nlines", What: "a file whose name is no key"},
	}
	got, err := store.Oddities(ctx, "odd")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
	if got, err := store.Oddities(ctx, "absent/folder"); err != nil || len(got) != 0 {
		t.Errorf("a folder that is not there: %v, %v", got, err)
	}
	for _, prefix := range []string{"absolute-folder", "inside-folder/x"} {
		if _, err := store.Oddities(ctx, prefix); !errors.Is(err, warehouse.ErrLink) {
			t.Errorf("%s: %v", prefix, err)
		}
	}
}
