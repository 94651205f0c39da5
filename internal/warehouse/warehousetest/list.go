package warehousetest

import (
	"context"
	"slices"
	"testing"

	"puddle/internal/warehouse"
)

func testListOrder(t *testing.T, store warehouse.Store) {
	keys := []string{
		"b", "a/b", "a-1", "a.b/c", "a/b-1", "a/c/d", "a0", "A", "a b", "ab/c", "Z/z", "é", "z", "a/b.json",
	}
	create(t, store, keys...)
	slices.Sort(keys)
	wantKeys(t, store, "", keys...)
	for entry, err := range store.List(context.Background(), "") {
		if err != nil || entry.Size != int64(len(entry.Key)) {
			t.Errorf("entry %+v, %v; want size %d", entry, err, len(entry.Key))
		}
	}
}

func testListPrefix(t *testing.T, store warehouse.Store) {
	create(t, store, "w/a/x", "w/a/y/z", "w/ab/x", "w/a-1", "w/a%20b/x", "w/a.json", "v")
	wantKeys(t, store, "w/a", "w/a/x", "w/a/y/z")
	wantKeys(t, store, "w/a/", "w/a/x", "w/a/y/z")
	wantKeys(t, store, "w/ab", "w/ab/x")
	wantKeys(t, store, "w/a/y", "w/a/y/z")
	wantKeys(t, store, "w/a/x")
	wantKeys(t, store, "w/none")
	wantKeys(t, store, "v/below-a-file")
	wantKeys(t, store, "w", "w/a%20b/x", "w/a-1", "w/a.json", "w/a/x", "w/a/y/z", "w/ab/x")
}

func testListStops(t *testing.T, store warehouse.Store) {
	create(t, store, "a/b/1", "a/b/2", "c")
	var got []string
	for entry, err := range store.List(context.Background(), "") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, entry.Key)
		if err := store.Delete(context.Background(), entry.Key); err != nil {
			t.Fatal(err)
		}
		if len(got) == 2 {
			break
		}
	}
	if want := []string{"a/b/1", "a/b/2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	wantKeys(t, store, "", "c")
}

// testCollision: a store with folders refuses, and nothing that was there is
// lost; a store without keeps both.
func testCollision(t *testing.T, store warehouse.Store) {
	ctx := context.Background()
	create(t, store, "file", "folder/file")
	_, hasFolders := store.(warehouse.Folders)
	for _, key := range []string{"file/below", "file/below/deeper", "folder"} {
		err := store.Create(ctx, key, []byte(key))
		if !hasFolders && err == nil {
			wantBytes(t, store, key, key)
			continue
		}
		wantError(t, "Create of "+key, err, warehouse.ErrExists)
		wantError(t, "Put of "+key, store.Put(ctx, key, nil), warehouse.ErrExists)
		wantMissing(t, store, key)
	}
	wantBytes(t, store, "file", "file")
	wantBytes(t, store, "folder/file", "folder/file")
}

func testFolders(t *testing.T, store warehouse.Store) {
	folders, ok := store.(warehouse.Folders)
	if !ok {
		return
	}
	ctx := context.Background()
	create(t, store, "file")
	for range 2 {
		if err := folders.MakeFolder(ctx, "t/metadata"); err != nil {
			t.Fatal(err)
		}
	}
	wantKeys(t, store, "", "file")
	wantMissing(t, store, "t/metadata")
	create(t, store, "t/metadata/v1")
	if err := folders.MakeFolder(ctx, "t/metadata"); err != nil {
		t.Fatal(err)
	}
	wantBytes(t, store, "t/metadata/v1", "t/metadata/v1")
	wantError(t, "file in the way", folders.MakeFolder(ctx, "file/x"), warehouse.ErrExists)
	wantError(t, "file at the place", folders.MakeFolder(ctx, "file"), warehouse.ErrExists)
	wantError(t, "dot segment", folders.MakeFolder(ctx, "../x"), warehouse.ErrInvalidKey)
	wantBytes(t, store, "file", "file")
}

// testCheckFolder: a folder is checked as it would be made, and is not made.
func testCheckFolder(t *testing.T, store warehouse.Store) {
	folders, ok := store.(warehouse.Folders)
	if !ok {
		return
	}
	ctx := context.Background()
	create(t, store, "file", "t/file")
	for key, want := range map[string]error{
		"t": nil, "new": nil, "new/below": nil, "t/new": nil, "a#b?c/d": nil,
		"file": warehouse.ErrExists, "t/file": warehouse.ErrExists, "file/below": warehouse.ErrExists, "t/file/below/it": warehouse.ErrExists,
		"": warehouse.ErrInvalidKey, "../x": warehouse.ErrInvalidKey, "a//b": warehouse.ErrInvalidKey,
	} {
		wantError(t, "CheckFolder of "+key, folders.CheckFolder(ctx, key), want)
	}
	create(t, store, "new") // no folder was made
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	wantError(t, "CheckFolder", folders.CheckFolder(cancelled, "t"), context.Canceled)
}
