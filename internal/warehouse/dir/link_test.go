package dir_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/dir"
)

// linked returns a store whose root holds links of every kind beside the file
// t/real, and the folder outside that some of them lead to.
func linked(t *testing.T) (store *dir.Store, root, outside string) {
	t.Helper()
	base := t.TempDir()
	root, outside = filepath.Join(base, "root"), filepath.Join(base, "outside")
	store = open(t, root)
	if err := store.Create(ctx, "t/real", []byte("inside")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(outside, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(outside, "secret"), "outside")
	for name, target := range map[string]string{
		"absolute-folder": outside,
		"relative-folder": "../outside",
		"inside-folder":   "t",
		"absolute-file":   filepath.Join(outside, "secret"),
		"relative-file":   "../outside/secret",
		"inside-file":     "t/real",
		"dangling":        "../outside/new",
		"t/loop":          "loop",
		"t/up":            "..",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	return store, root, outside
}

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

// across are keys that are links or lead through one.
var across = []string{
	"absolute-folder/secret", "relative-folder/secret", "inside-folder/real", "absolute-file", "relative-file",
	"inside-file", "dangling", "absolute-folder/new", "inside-folder/new", "absolute-folder/new/below", "t/loop",
	"t/loop/x", "t/up/t/real",
}

func TestCase138_LinksAreNotRead(t *testing.T) {
	store, _, _ := linked(t)
	for _, key := range across {
		if data, err := store.Get(ctx, key, 100); !errors.Is(err, warehouse.ErrLink) {
			t.Errorf("Get(%q) = %q, %v", key, data, err)
		}
	}
}

func TestCase138_LinksAreNotDescribed(t *testing.T) {
	store, _, _ := linked(t)
	for _, key := range across {
		if info, err := store.Stat(ctx, key); !errors.Is(err, warehouse.ErrLink) {
			t.Errorf("Stat(%q) = %+v, %v", key, info, err)
		}
	}
}

func TestCase138_LinksAreNotWritten(t *testing.T) {
	store, root, outside := linked(t)
	before := [2]string{tree(t, root), tree(t, outside)}
	for _, key := range across {
		if err := store.Create(ctx, key, []byte("new")); !errors.Is(err, warehouse.ErrLink) && !errors.Is(err, warehouse.ErrExists) {
			t.Errorf("Create(%q): %v", key, err)
		}
		if _, err := store.Stage(ctx, key, []byte("new")); !errors.Is(err, warehouse.ErrLink) && !errors.Is(err, warehouse.ErrExists) {
			t.Errorf("Stage(%q): %v", key, err)
		}
		if err := store.Put(ctx, key, []byte("new")); !errors.Is(err, warehouse.ErrLink) {
			t.Errorf("Put(%q): %v", key, err)
		}
		if err := store.MakeFolder(ctx, key); !errors.Is(err, warehouse.ErrLink) {
			t.Errorf("MakeFolder(%q): %v", key, err)
		}
		if err := store.CheckFolder(ctx, key); !errors.Is(err, warehouse.ErrLink) {
			t.Errorf("CheckFolder(%q): %v", key, err)
		}
	}
	if after := [2]string{tree(t, root), tree(t, outside)}; after != before {
		t.Errorf("changed from\n%s\nto\n%s", before, after)
	}
}

func TestCase135_LinksAreNotDeleted(t *testing.T) {
	store, root, outside := linked(t)
	before := [2]string{tree(t, root), tree(t, outside)}
	for _, key := range across {
		if err := store.Delete(ctx, key); !errors.Is(err, warehouse.ErrLink) {
			t.Errorf("Delete(%q): %v", key, err)
		}
	}
	if after := [2]string{tree(t, root), tree(t, outside)}; after != before {
		t.Errorf("changed from\n%s\nto\n%s", before, after)
	}
}

func TestCase135_LinksAreNotListed(t *testing.T) {
	store, _, _ := linked(t)
	if got := keys(t, store, ""); !slices.Equal(got, []string{"t/real"}) {
		t.Errorf("listed %q", got)
	}
	for _, prefix := range []string{"absolute-folder", "relative-folder", "inside-folder", "t/up", "t/loop"} {
		for entry, err := range store.List(ctx, prefix) {
			if !errors.Is(err, warehouse.ErrLink) {
				t.Errorf("List(%q): %+v, %v", prefix, entry, err)
			}
		}
	}
}

// TestRootMayBeALink: only below the root are links refused.
func TestRootMayBeALink(t *testing.T) {
	base := t.TempDir()
	if err := os.Symlink("real", filepath.Join(base, "root")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(base, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := open(t, filepath.Join(base, "root")).Create(ctx, "k", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(base, "real", "k")); err != nil {
		t.Error(err)
	}
}

// tree spells all names, link targets and contents below path.
func tree(t *testing.T, path string) string {
	t.Helper()
	var text string
	err := filepath.WalkDir(path, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		text += path
		switch {
		case entry.Type() == os.ModeSymlink:
			target, _ := os.Readlink(path)
			text += " -> " + target
		case entry.Type().IsRegular():
			data, _ := os.ReadFile(path)
			text += " = " + string(data)
		}
		text += "\n"
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
