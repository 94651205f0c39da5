package postgres_test

import (
	"os"
	"testing"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// open opens a journal for the length of a test.
func open(t testing.TB, url string) *postgres.DB {
	t.Helper()
	return openWith(t, postgres.Options{URL: url, Unsafe: true})
}

func openWith(t testing.TB, o postgres.Options) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestJournal(t *testing.T) {
	t.Parallel()
	journaltest.Run(t, func(t *testing.T) (journal.Journal, func() journal.Journal) {
		url := postgrestest.Open(t)
		db := open(t, url)
		return db, func() journal.Journal {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = open(t, url)
			return db
		}
	})
}
