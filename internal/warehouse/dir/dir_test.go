package dir_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/dir"
	"puddle/internal/warehouse/warehousetest"
)

var ctx = context.Background()

func TestStore(t *testing.T) {
	t.Parallel()
	warehousetest.Run(t, func(t *testing.T) warehouse.Store { return open(t, t.TempDir()) })
}

func open(t testing.TB, path string) *dir.Store {
	t.Helper()
	store, err := dir.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func TestOpenMakesTheFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	if err := open(t, path).Create(ctx, "k/l", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(path, "k", "l")); err != nil || string(data) != "x" {
		t.Errorf("file: %q, %v", data, err)
	}
	if _, err := open(t, path).Get(ctx, "k/l", 1); err != nil {
		t.Errorf("opened again: %v", err)
	}
	if _, err := dir.Open(filepath.Join(path, "k", "l")); err == nil {
		t.Error("a file was opened as a store")
	}
}

func TestMakeRoot(t *testing.T) {
	base := t.TempDir()
	path := filepath.Join(base, "a", "b")
	for range 2 {
		if err := dir.MakeRoot(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, made := range []string{path, filepath.Dir(path)} {
		if info, err := os.Stat(made); err != nil || info.Mode() != os.ModeDir|0o700 {
			t.Errorf("%s: %v, %v", made, info, err)
		}
	}
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(file, "below")} {
		if err := dir.MakeRoot(path, 0o700); err == nil {
			t.Errorf("%s was made over a file", path)
		}
	}
}

// TestLeftoversAreNoKeys: what a crash leaves is never listed, and an outside
// file with a name that is no key does not break a list.
func TestLeftoversAreNoKeys(t *testing.T) {
	path := t.TempDir()
	store := open(t, path)
	if err := store.Create(ctx, "d/k", nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{warehouse.TempPrefix + "CRASH", "bad\xff", "bad\nname"} {
		if err := os.WriteFile(filepath.Join(path, "d", name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := keys(t, store, ""); len(got) != 1 || got[0] != "d/k" {
		t.Errorf("listed %q", got)
	}
}

// TestNothingTemporaryRemains: neither a success nor a refusal leaves a file.
func TestNothingTemporaryRemains(t *testing.T) {
	path := t.TempDir()
	store := open(t, path)
	if err := errors.Join(store.Create(ctx, "k", nil), store.Put(ctx, "k", nil), store.MakeFolder(ctx, "f")); err != nil {
		t.Fatal(err)
	}
	if err := store.Create(ctx, "k", nil); !errors.Is(err, warehouse.ErrExists) {
		t.Errorf("Create: %v", err)
	}
	if err := store.Put(ctx, "f", nil); !errors.Is(err, warehouse.ErrExists) {
		t.Errorf("Put: %v", err)
	}
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v, %v; want k and f", entries, err)
	}
}

func TestLongSegmentIsInvalid(t *testing.T) {
	store := open(t, t.TempDir())
	for _, key := range []string{strings.Repeat("x", 256), strings.Repeat("x", 256) + "/y"} {
		if err := store.Create(ctx, key, nil); !errors.Is(err, warehouse.ErrInvalidKey) {
			t.Errorf("Create: %v", err)
		}
		if _, err := store.Get(ctx, key, 1); !errors.Is(err, warehouse.ErrInvalidKey) {
			t.Errorf("Get: %v", err)
		}
	}
}

// TestFolderRemovedByOthers: an engine may remove a folder that the store has
// made before.
func TestFolderRemovedByOthers(t *testing.T) {
	path := t.TempDir()
	store := open(t, path)
	for range 2 {
		if err := store.Create(ctx, "t/metadata/v1", nil); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(path, "t")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLargeFile: a file whose pages were let go is there whole.
func TestLargeFile(t *testing.T) {
	store := open(t, t.TempDir())
	data := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16)
	if err := errors.Join(store.Create(ctx, "k", data), store.Put(ctx, "l", data)); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"k", "l"} {
		if got, err := store.Get(ctx, key, int64(len(data))); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes of %d, %v", key, len(got), len(data), err)
		}
	}
}

func keys(t *testing.T, store *dir.Store, prefix string) []string {
	t.Helper()
	var found []string
	for entry, err := range store.List(ctx, prefix) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, entry.Key)
	}
	return found
}

// BenchmarkCreate is to be held against BenchmarkTwoSyncs: the same file, and
// nothing but one sync of it and one of its folder. Stage has one sync.
func BenchmarkCreate(b *testing.B) { benchmarkWrite(b, (*dir.Store).Create) }

func BenchmarkStage(b *testing.B) {
	benchmarkWrite(b, func(store *dir.Store, ctx context.Context, key string, data []byte) error {
		_, err := store.Stage(ctx, key, data)
		return err
	})
}

func benchmarkWrite(b *testing.B, write func(*dir.Store, context.Context, string, []byte) error) {
	store := open(b, b.TempDir())
	data := bytes.Repeat([]byte("x"), 4<<10)
	for i := 0; b.Loop(); i++ {
		if err := write(store, ctx, fmt.Sprintf("t/metadata/%d", i), data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTwoSyncs(b *testing.B) {
	path := b.TempDir()
	data := bytes.Repeat([]byte("x"), 4<<10)
	folder, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer folder.Close()
	for i := 0; b.Loop(); i++ {
		file, err := os.Create(filepath.Join(path, fmt.Sprint(i)))
		if err != nil {
			b.Fatal(err)
		}
		_, err = file.Write(data)
		if err := errors.Join(err, file.Sync(), file.Close(), folder.Sync()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStat(b *testing.B) {
	store := open(b, b.TempDir())
	if err := store.Create(ctx, "t/metadata/v1", nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := store.Stat(ctx, "t/metadata/v1"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckFolder(b *testing.B) {
	store := open(b, b.TempDir())
	if err := store.MakeFolder(ctx, "t/metadata"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := errors.Join(store.CheckFolder(ctx, "t/metadata"), store.CheckFolder(ctx, "t/data")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	store := open(b, b.TempDir())
	if err := store.Create(ctx, "t/metadata/v1", []byte("x")); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := store.Get(ctx, "t/metadata/v1", 1); err != nil {
			b.Fatal(err)
		}
	}
}
