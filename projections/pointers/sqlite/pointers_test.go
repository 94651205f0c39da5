package sqlite_test

import (
	"path/filepath"
	"testing"

	"puddle/projections"
	"puddle/projections/pointers/sqlite"
	"puddle/projections/projectiontest"
)

func TestPointers(t *testing.T) {
	projectiontest.Run(t, func(t testing.TB) projectiontest.Opened {
		path := filepath.Join(t.TempDir(), "puddle.db")
		db := open(t, path)
		return projectiontest.Opened{Store: db, Reopen: func() projections.Store {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = open(t, path)
			return db
		}}
	})
}

func open(t testing.TB, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}
