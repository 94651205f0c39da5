package postgres_test

import (
	"errors"
	"strings"
	"testing"

	"puddle/internal/postgrestest"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// TestLacksRights: a role that lacks a right on a table is refused when it starts, with the
// statement that gives it; who only reads needs no more than to read.
func TestLacksRights(t *testing.T) {
	server := postgrestest.Shared(t)
	url := server.Open(t)
	journaltest.Append(t, open(t, url), births(t, lake))
	name := url[strings.LastIndex(url, "/t")+1 : strings.Index(url, "?")]
	theirs := postgres.Options{URL: server.URL(name, "teal"), Unsafe: true}
	exec(t, url, "CREATE ROLE teal LOGIN", "GRANT USAGE ON SCHEMA puddle TO teal",
		"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA puddle TO teal", "REVOKE DELETE ON events FROM teal", "REVOKE INSERT ON migrations FROM teal")
	_, err := postgres.Open(t.Context(), theirs)
	const statement = `DELETE on events in the schema puddle; have an administrator run: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "puddle" TO teal`
	if !errors.Is(err, postgres.ErrMayNot) || !strings.Contains(err.Error(), statement) {
		t.Errorf("without DELETE: %v", err)
	}
	exec(t, url, "REVOKE INSERT, UPDATE ON ALL TABLES IN SCHEMA puddle FROM teal")
	reads := theirs
	reads.ReadOnly = true
	openWith(t, reads)
	exec(t, url, "REVOKE SELECT ON documents FROM teal")
	if _, err := postgres.Open(t.Context(), reads); !errors.Is(err, postgres.ErrMayNot) || !strings.Contains(err.Error(), "SELECT on documents") {
		t.Errorf("without SELECT: %v", err)
	}
	exec(t, url, "GRANT SELECT, INSERT, UPDATE, DELETE ON events, documents, heads, incarnations, requests, leases TO teal")
	openWith(t, theirs)
}

// TestTablesOfOthers: a schema with tables of others is refused and left as it is, whatever
// they are called; and what others made beside a journal keeps it from being renamed.
func TestTablesOfOthers(t *testing.T) {
	url := postgrestest.Open(t)
	exec(t, url, "CREATE SCHEMA puddle", "CREATE TABLE puddle.events (id int)", "CREATE VIEW puddle.recent AS SELECT * FROM puddle.events")
	_, err := postgres.Open(t.Context(), postgres.Options{URL: url, Unsafe: true})
	if !errors.Is(err, postgres.ErrAlien) || !strings.Contains(err.Error(), "events, recent in puddle") {
		t.Errorf("tables of others: %v", err)
	}
	_, err = postgres.Open(t.Context(), postgres.Options{URL: url, ReadOnly: true})
	wantError(t, "who reads", err, postgres.ErrNoJournal)
	if n := ask[int](t, url, "SELECT count(*) FROM pg_class WHERE relnamespace = 'puddle'::regnamespace"); n != 2 {
		t.Errorf("%d relations are there then", n)
	}

	exec(t, url, "DROP TABLE events CASCADE")
	db := open(t, url)
	exec(t, url, "CREATE TABLE puddle.invoices (id int)")
	open(t, url)
	wantError(t, "a schema for what would supersede it", db.MakeBeside(t.Context(), "puddle_whole"), postgres.ErrAlien)
	exec(t, url, "CREATE SCHEMA puddle_whole")
	err = db.Supersede(t.Context(), "puddle_whole", "puddle_broken")
	if !errors.Is(err, postgres.ErrAlien) || !strings.Contains(err.Error(), "invoices") {
		t.Errorf("superseded: %v", err)
	}
	open(t, url)
}
