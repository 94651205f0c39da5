package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"go.etcd.io/bbolt"
)

// A leaf of ids that says it runs over other pages, which the next id that goes into it
// would give up, is found, and not started with.
func TestCase155_LeafOfIDsIsRefused(t *testing.T) {
	dir := t.TempDir()
	c := configured(t, dir, "")
	r := started(t, c)
	for i := range 160 {
		r.post("/api/catalog/v1/namespaces", fmt.Sprintf(`{"namespace":["a%d"]}`, i))
	}
	r.stopped()
	page := firstLeafOfIDs(t, c.Journal.Path)
	file, err := os.OpenFile(c.Journal.Path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt([]byte{1}, int64(page)*int64(os.Getpagesize())+12)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err = startServer(t.Context(), c, zerolog.Nop()); exitCode(err) != codeRefused || !strings.HasSuffix(err.Error(), "see: puddle verify") {
		t.Errorf("error is %v", err)
	}
	for level := 1; level <= 4; level++ {
		if code, out := verified(t, filepath.Join(dir, "puddle.yaml"), "--level", fmt.Sprint(level)); code != codeFindings || !strings.Contains(out, "page ") {
			t.Errorf("level %d: exit code %d: %s", level, code, out)
		}
	}
}

// firstLeafOfIDs is a page of the first warehouse, that has others behind it.
func firstLeafOfIDs(t *testing.T, path string) (page uint64) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("warehouses"))
		for range 2 {
			err := b.ForEachBucket(func(name []byte) error { b = b.Bucket(name); return nil })
			if err != nil {
				return err
			}
		}
		page = uint64(b.Bucket([]byte("ids")).Root())
		return nil
	})
	data, failed := os.ReadFile(path)
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	branch := data[int(page)*os.Getpagesize():]
	if binary.NativeEndian.Uint16(branch[8:]) != 1 || binary.NativeEndian.Uint16(branch[10:]) < 2 {
		t.Fatal("the ids have too few leaves")
	}
	return binary.NativeEndian.Uint64(branch[16+8:])
}
