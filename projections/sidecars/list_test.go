package sidecars

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/dir"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
)

// each runs a test on every kind of store.
func each(t *testing.T, test func(t *testing.T, store warehouse.Store)) {
	t.Run("memory", func(t *testing.T) { test(t, memory.New()) })
	t.Run("dir", func(t *testing.T) {
		store, err := dir.Open(t.TempDir())
		must(t, err)
		t.Cleanup(func() { store.Close() })
		test(t, store)
	})
}

// fill stores the frozen files, and others that are none.
func fill(t *testing.T, store warehouse.Store) (good, bad []string) {
	t.Helper()
	table, n := goldenObjects(t)["sidecar-table.json"], goldenNamespace()
	files := map[string]string{
		Key(table.UUID): frozen(t, "sidecar-table.json"),
		Key(goldenObjects(t)["sidecar-view.json"].UUID): frozen(t, "sidecar-view.json"),
		NamespaceKey(n.ID): frozen(t, "sidecar-namespace.json"),
	}
	for key := range files {
		good = append(good, key)
	}
	for i, test := range hostile {
		if test.want != nil {
			id := fmt.Sprintf("00000000-0000-4000-8000-%012d", i)
			own := strings.ReplaceAll(frozen(t, "sidecar-table.json"), test.old, test.new)
			files[Folder+"/"+id+".json"] = strings.ReplaceAll(own, table.UUID.String(), id)
			if errors.Is(test.want, ErrMisplaced) {
				files[Folder+"/"+id+".json"] = own
			}
		}
	}
	files[Folder+"/x.json"], files[Folder+"/a/b/c.json"], files[Folder+"/readme"] = "{}", "", "x"
	files[NamespacesFolder+"/x.json"], files[NamespaceKey(table.UUID)] = "{}", frozen(t, "sidecar-table.json")
	files[Key(uuid.Max)], files[Key(uuid.NameSpaceDNS)] = strings.Repeat("x", maxObject+1), ""
	for key, data := range files {
		must(t, store.Put(ctx, key, []byte(data)))
		if folder := beneath(key); folder != "" {
			bad = append(bad, folder)
		} else if !slices.Contains(good, key) {
			bad = append(bad, key)
		}
	}
	must(t, store.Put(ctx, cursorKey, []byte("x")))
	must(t, store.Put(ctx, "_puddle/catalogue/x.json", []byte("x")))
	slices.Sort(good)
	slices.Sort(bad)
	return good, bad
}

// listed are the keys of what was found, and of what is not usable.
func listed(t *testing.T, store warehouse.Reader) (good, bad, unread []string) {
	t.Helper()
	for found, err := range List(ctx, store) {
		switch {
		case err != nil:
			unread = append(unread, found.Key)
		case found.Err != nil && found.Object == nil && found.Namespace == nil:
			var unusable *Unusable
			if !errors.As(found.Err, &unusable) || unusable.Key != found.Key {
				t.Errorf("%s: %v", found.Key, found.Err)
			}
			bad = append(bad, found.Key)
		case found.Err == nil && (found.Object == nil) != (found.Namespace == nil):
			good = append(good, found.Key)
		default:
			t.Errorf("%s: %+v", found.Key, found)
		}
	}
	slices.Sort(bad)
	return good, bad, unread
}

// Case 52: each bad file is one finding, and hides no other.
func TestCase52_List(t *testing.T) {
	each(t, func(t *testing.T, store warehouse.Store) {
		for found, err := range List(ctx, store) {
			t.Errorf("in an empty warehouse: %+v, %v", found, err)
		}
		good, bad := fill(t, store)
		gotGood, gotBad, unread := listed(t, store)
		if diff := cmp.Diff(good, gotGood) + cmp.Diff(bad, gotBad); diff != "" || unread != nil {
			t.Errorf("%s, unread %q", diff, unread)
		}
		for range List(ctx, store) {
			break // asks for no more
		}
	})
}

// Links are not followed.
func TestCase52_LinksAreNotRead(t *testing.T) {
	base := t.TempDir()
	store, err := dir.Open(base)
	must(t, err)
	defer store.Close()
	outside := filepath.Join(t.TempDir(), "x")
	must(t, os.WriteFile(outside, []byte(frozen(t, "sidecar-table.json")), 0o600))
	must(t, os.MkdirAll(filepath.Join(base, Folder), 0o700))
	must(t, os.Symlink(outside, filepath.Join(base, filepath.FromSlash(Key(goldenObjects(t)["sidecar-table.json"].UUID)))))
	good, bad, unread := listed(t, store)
	if len(good) != 0 || len(bad) != 1 || unread != nil {
		t.Errorf("read through a link: %q; %v; %q", good, bad, unread)
	}
}

// What stands in place of a sidecar and is no file is one finding each, whatever is in
// it, and hides no other.
func TestCase52_NoFiles(t *testing.T) {
	base := t.TempDir()
	store, err := dir.Open(base)
	must(t, err)
	defer store.Close()
	good, bad := fill(t, store)
	at := func(key string) string { return filepath.Join(base, filepath.FromSlash(key)) }
	for name, make := range map[string]func(path string) error{
		"link":   func(path string) error { return os.Symlink(filepath.Join(base, "elsewhere"), path) },
		"circle": func(path string) error { return os.Symlink(path, path) },
		"empty":  func(path string) error { return os.Mkdir(path, 0o700) },
		"full": func(path string) error {
			return errors.Join(os.MkdirAll(filepath.Join(path, "deep"), 0o700),
				os.WriteFile(filepath.Join(path, "deep", "x.json"), []byte("{}"), 0o600), os.WriteFile(filepath.Join(path, "y.json"), nil, 0o600))
		},
		"pipe":         func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"no\nkey \x01": func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		for _, folder := range []string{Folder, NamespacesFolder} {
			key := folder + "/" + uuid.NewSHA1(uuid.Nil, []byte(name)).String() + extension
			if strings.Contains(name, "key") {
				key = folder + "/" + name
			}
			must(t, make(at(key)))
			bad = append(bad, key)
		}
	}
	slices.Sort(bad)
	gotGood, gotBad, unread := listed(t, store)
	if diff := cmp.Diff(good, gotGood) + cmp.Diff(bad, gotBad); diff != "" || unread != nil {
		t.Errorf("%s, unread %q", diff, unread)
	}
	for found := range List(ctx, store) {
		if found.Err != nil && strings.ContainsAny(found.Err.Error(), "\n\x01") {
			t.Errorf("%q", found.Err)
		}
	}
	must(t, os.Rename(at(NamespacesFolder), filepath.Join(base, "away")))
	must(t, os.Symlink(filepath.Join(base, "away"), at(NamespacesFolder)))
	if _, bad, unread := listed(t, store); len(bad) == 0 || unread != nil {
		t.Errorf("a link in place of the folder of namespaces: %v, %q", bad, unread)
	}
	must(t, os.Rename(at(Folder), filepath.Join(base, "catalog")))
	must(t, os.Symlink(filepath.Join(base, "catalog"), at(Folder)))
	if good, bad, unread := listed(t, store); len(good) != 0 || len(bad) != 1 || unread != nil {
		t.Errorf("a link in place of the folder: %q, %v, %q", good, bad, unread)
	}
}

// One that may not be read is one finding, and not a reason that passes.
func TestCase52_MayNotBeRead(t *testing.T) {
	store := memory.New()
	good, bad := fill(t, store)
	closed := faulty.New(store, func(op faulty.Op, key string) faulty.Fault {
		if op == faulty.Get && key == good[0] {
			return faulty.Before(&fs.PathError{Op: "open", Path: key, Err: syscall.EACCES})
		}
		return faulty.Fault{}
	})
	gotGood, gotBad, unread := listed(t, closed)
	if len(gotGood) != len(good)-1 || len(gotBad) != len(bad)+1 || unread != nil {
		t.Errorf("good %q, bad %v, unread %q", gotGood, gotBad, unread)
	}
}

// What cannot be read is told, and the list goes on; what went meanwhile is not
// there; a folder that cannot be listed ends it.
func TestListOverFaults(t *testing.T) {
	store := memory.New()
	good, bad := fill(t, store)
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		hook   func(op faulty.Op, key string) faulty.Fault
		unread []string
		less   int
	}{
		"one file": {func(op faulty.Op, key string) faulty.Fault {
			if key == good[0] {
				return faulty.Before(broken)
			}
			return faulty.Fault{}
		}, good[:1], 1},
		"one is gone": {func(op faulty.Op, key string) faulty.Fault {
			if op == faulty.Get && key == good[1] {
				return faulty.Before(warehouse.ErrNotFound)
			}
			return faulty.Fault{}
		}, nil, 1},
		"the end": {func(op faulty.Op, key string) faulty.Fault {
			if op == faulty.List {
				return faulty.After(broken)
			}
			return faulty.Fault{}
		}, []string{""}, 0},
	} {
		gotGood, gotBad, unread := listed(t, faulty.New(store, test.hook))
		wantBad := len(bad)
		if name == "the end" {
			wantBad-- // what is no file is told after all files
		}
		if len(gotGood) != len(good)-test.less || len(gotBad) != wantBad || !slices.Equal(unread, test.unread) {
			t.Errorf("%s: good %q, %d bad, unread %q", name, gotGood, len(gotBad), unread)
		}
	}
}
