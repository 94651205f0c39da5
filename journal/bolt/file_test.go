package bolt_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"puddle/journal/bolt"
)

// TestCase153_CutFile cuts the file in every page: it opens with all that was
// acknowledged or not at all, and never crashes.
func TestCase153_CutFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	fill(t, path, damagedEvents)
	used := usedBytes(t, path)
	for _, tail := range []string{"garbage", ""} { // behind what is used
		rewrite(t, path, func(f *os.File) error {
			_, err := f.WriteAt([]byte(tail), used)
			return errors.Join(err, f.Truncate(used+int64(len(tail))))
		})
		if n := readAll(t, path); n != damagedEvents {
			t.Errorf("with %q after its end the journal shows %d events", tail, n)
		}
	}
	for size := used - 1; size >= 0; size -= 2048 {
		rewrite(t, path, func(f *os.File) error { return f.Truncate(size) })
		if n := readAll(t, path); n != 0 {
			t.Errorf("cut at %d the journal shows %d events", size, n)
		}
	}
}

// TestCase155_FlippedBits flips one bit in many places of the file: what is then
// read is what was written, or an error.
func TestCase155_FlippedBits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	fill(t, path, damagedEvents)
	used, refused := usedBytes(t, path), 0
	for at := int64(8192); at < used; at += 131 { // bbolt keeps what is in the first two pages twice
		flipAt := func(f *os.File) error {
			var b [1]byte
			_, err := f.ReadAt(b[:], at)
			b[0] ^= 1 << (at % 8)
			_, err2 := f.WriteAt(b[:], at)
			return errors.Join(err, err2)
		}
		rewrite(t, path, flipAt)
		n := readAll(t, path)
		if n != 0 && n != damagedEvents {
			t.Errorf("with a bit flipped at %d the journal shows %d events", at, n)
		}
		if n == 0 {
			refused++
		}
		rewrite(t, path, flipAt)
	}
	if refused == 0 {
		t.Error("no flipped bit was noticed")
	}
}

// usedBytes is how much of a closed bbolt file holds pages; the rest was
// allocated ahead.
func usedBytes(t *testing.T, path string) (size int64) {
	t.Helper()
	db, err := bbolt.Open(path, 0, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		size = tx.Size()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}

func rewrite(t *testing.T, path string, fn func(*os.File) error) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(fn(f), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// readAll opens a journal and counts its events; 0 when it does not open.
func readAll(t *testing.T, path string) int {
	t.Helper()
	j, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		return 0
	}
	defer j.Close()
	n := 0
	for _, err := range j.Warehouse(lake).Scan(context.Background(), 0) {
		if err != nil {
			return 0
		}
		n++
	}
	return n
}
