package bolt_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
)

func TestOpenCreatesAWholeFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "journal.db")
	open(t, path).Close()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 || files[0].Name() != "journal.db" {
		t.Errorf("the folder holds %v, %v", files, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v", info.Mode(), err)
	}
	if ids, err := open(t, path).Warehouses(t.Context()); err != nil || len(ids) != 0 {
		t.Errorf("warehouses = %v, %v", ids, err)
	}
}

func TestOpenWithoutFolder(t *testing.T) {
	_, err := bolt.Open(filepath.Join(t.TempDir(), "no", "journal.db"), bolt.Options{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestOpenRefusesWhatIsNoJournal(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"empty": "", "text": "hello\n", "zeros": string(make([]byte, 1<<16)), "page": string(make([]byte, 4096))}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		wantFormat(t, name, path)
	}
	other := filepath.Join(dir, "other")
	change(t, other, func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket([]byte("theirs"))
		return err
	})
	wantFormat(t, "another program's bbolt file", other)
	if _, err := bolt.Open(dir, bolt.Options{}); !errors.Is(err, journal.ErrFormat) {
		t.Errorf("a folder: %v", err)
	}
}

// wantFormat checks that a file is refused and stays as it is.
func wantFormat(t *testing.T, what, path string) {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []bolt.Options{{}, {ReadOnly: true}} {
		if _, err := bolt.Open(path, o); !errors.Is(err, journal.ErrFormat) {
			t.Errorf("open %s: %v", what, err)
		}
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("%s was changed", what)
	}
}

func TestOpenNewerFormats(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	open(t, path).Close()
	set := func(key string, n uint32) {
		change(t, path, func(tx *bbolt.Tx) error {
			return tx.Bucket([]byte("puddle")).Put([]byte(key), binary.BigEndian.AppendUint32(nil, n))
		})
	}
	set("format", bolt.Format+1)
	if _, err := bolt.Open(path, bolt.Options{}); !errors.Is(err, journal.ErrFormat) {
		t.Errorf("write a newer format: %v", err)
	}
	j, err := bolt.Open(path, bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatalf("read a newer format that this build may read: %v", err)
	}
	j.Close()
	set("min-reader", bolt.Format+1)
	wantFormat(t, "a format that this build may not read", path)
}

func TestOpenIsExclusive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	j := open(t, path)
	for _, o := range []bolt.Options{{}, {ReadOnly: true}} {
		if _, err := bolt.Open(path, o); !errors.Is(err, journal.ErrLocked) {
			t.Errorf("open what is open: %v", err)
		}
	}
	j.Close()
	open(t, path)
}

func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	if _, err := bolt.Open(path, bolt.Options{ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("read what is not there: %v", err)
	}
	entries := fill(t, path, 10)
	var readers [2]*bolt.Journal
	for i := range readers {
		var err error
		if readers[i], err = bolt.Open(path, bolt.Options{ReadOnly: true}); err != nil {
			t.Fatal(err)
		}
		defer readers[i].Close()
		if got := journaltest.Events(t, readers[i].Warehouse(lake), 0); len(got) != len(entries) {
			t.Errorf("reader %d sees %d events, want %d", i, len(got), len(entries))
		}
	}
	if err := readers[0].Append(t.Context(), entries[0]); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("append: %v", err)
	}
}
