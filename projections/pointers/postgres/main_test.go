package postgres_test

import (
	"os"
	"testing"

	"puddle/internal/postgrestest"
	journalpg "puddle/journal/postgres"
	"puddle/projections"
	"puddle/projections/pointers/postgres"
	"puddle/projections/projectiontest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

func TestPointers(t *testing.T) {
	projectiontest.Run(t, func(t testing.TB) projectiontest.Opened {
		db := openJournal(t, postgrestest.Open(t))
		store := open(t, db)
		return projectiontest.Opened{Store: store, Reopen: func() projections.Store {
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			store = open(t, db)
			return store
		}}
	})
}

func openJournal(t testing.TB, url string) *journalpg.DB {
	t.Helper()
	db, err := journalpg.Open(t.Context(), journalpg.Options{URL: url, Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func open(t testing.TB, db *journalpg.DB) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
