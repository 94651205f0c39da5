package bolt_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/journaltest"
)

var (
	lake = uuid.MustParse("01234567-89ab-7def-8123-456789abcdef")
	pond = uuid.MustParse("00000000-1111-7222-8333-444444444444")
)

// history is n events of a warehouse.
func history(tb testing.TB, warehouse uuid.UUID, n int) []journal.Entry {
	tb.Helper()
	s := journaltest.NewStory(warehouse)
	ns := journal.Namespace{"sales"}
	s.CreateNamespace(ns, nil)
	for i := 0; len(s.Drafts) < n; i++ {
		s.Commit(journal.Identifier{Namespace: ns, Name: fmt.Sprint("t", i%7)})
	}
	return journaltest.Entries(tb, s.Drafts[:n], journaltest.Start)
}

// fill makes a closed journal with n events of the lake.
func fill(t *testing.T, path string, n int) []journal.Entry {
	t.Helper()
	entries := history(t, lake, n)
	j := open(t, path)
	journaltest.Append(t, j, entries)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return entries
}

// change does to a closed bbolt file what no journal would.
func change(t *testing.T, path string, fn func(tx *bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Update(fn); err != nil {
		t.Fatal(err)
	}
}

// bucket finds a bucket of the first incarnation of a warehouse.
func bucket(tx *bbolt.Tx, warehouse uuid.UUID, name string) *bbolt.Bucket {
	incarnation := journaltest.Incarnation(warehouse)
	return tx.Bucket([]byte("warehouses")).Bucket(warehouse[:]).Bucket(incarnation[:]).Bucket([]byte(name))
}

// repage makes a closed journal whose pages have another size than the system's.
func repage(t *testing.T, path string, size int, entries []journal.Entry) {
	t.Helper()
	from := filepath.Join(t.TempDir(), "journal.db")
	j := open(t, from)
	journaltest.Append(t, j, entries)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	source, err := bbolt.Open(from, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	target, err := bbolt.Open(path, 0o600, &bbolt.Options{PageSize: size})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(bbolt.Compact(target, source, 0), target.Close()); err != nil {
		t.Fatal(err)
	}
}
