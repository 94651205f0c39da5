package postgres_test

import (
	"testing"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// TestReadOnly: who only reads makes nothing, writes nothing, and may read a copy.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	server := postgrestest.New(t)
	url := server.Open(t)
	o := postgres.Options{URL: url, ReadOnly: true}
	_, err := postgres.Open(t.Context(), o)
	wantError(t, "no journal", err, postgres.ErrNoJournal)
	if n := ask[int](t, url, `SELECT count(*) FROM pg_namespace WHERE nspname = $1`, postgres.DefaultSchema); n != 0 {
		t.Error("it made the schema")
	}

	writer := open(t, url)
	entries := births(t, lake)
	journaltest.Append(t, writer, entries)
	next := after(t, writer, draft(lake))
	reader := openWith(t, o)
	wantReadOnly(t, reader, entries, next)
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	server.Stop()
	server.Standby(t)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	wantReadOnly(t, openWith(t, o), entries, next)
}

func wantReadOnly(t *testing.T, db *postgres.DB, entries []journal.Entry, next journal.Entry) {
	t.Helper()
	journaltest.WantEntries(t, db.Warehouse(lake), entries)
	wantError(t, "append", db.Append(t.Context(), next), postgres.ErrReadOnly)
	_, err := db.Alone(t.Context())
	wantError(t, "alone", err, postgres.ErrReadOnly)
	if _, err := db.Pool().Exec(t.Context(), "DELETE FROM heads"); err == nil {
		t.Error("it deletes")
	}
	if postgres.Gain(t.Context(), db.Lease(lake, "followers", postgres.LeaseOptions{})) {
		t.Error("it gains a lease")
	}
}

// TestReadOnlyNewer: tables of a newer build are not read.
func TestReadOnlyNewer(t *testing.T) {
	url := postgrestest.Open(t)
	open(t, url)
	exec(t, url, "INSERT INTO migrations (version_id, is_applied) VALUES (7, true)")
	_, err := postgres.Open(t.Context(), postgres.Options{URL: url, ReadOnly: true})
	wantError(t, "newer tables", err, journal.ErrFormat)
}

// TestCopies: a connection that leads to a copy of the server by now is refused, of
// readers too: what it shows may be behind what was acknowledged.
func TestCopies(t *testing.T) {
	t.Parallel()
	server := postgrestest.New(t)
	db := open(t, server.Open(t))
	journaltest.Append(t, db, births(t, lake))
	server.Stop()
	server.Standby(t)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	_, err := db.Warehouse(lake).Head(t.Context())
	wantError(t, "a reader", err, postgres.ErrReadOnly)
	_, err = db.Begin(t.Context(), lake)
	wantError(t, "a turn", err, postgres.ErrReadOnly)
}
