package postgres_test

import (
	"strings"
	"testing"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// TestLook: a look tells what is there and makes nothing, and refuses what Open does.
func TestLook(t *testing.T) {
	t.Parallel()
	server := postgrestest.New(t)
	url := server.Open(t)
	o := postgres.Options{URL: url, Unsafe: true}
	found, err := postgres.Look(t.Context(), o)
	if err != nil || found.Role != postgrestest.Superuser || found.Version != 0 || len(found.Heads) > 0 {
		t.Errorf("no journal: %+v, %v", found, err)
	}
	if n := ask[int](t, url, `SELECT count(*) FROM pg_namespace WHERE nspname = $1`, postgres.DefaultSchema); n != 0 {
		t.Error("it made the schema")
	}
	entries := births(t, lake)
	journaltest.Append(t, open(t, url), entries)
	found, err = postgres.Look(t.Context(), o)
	if want := entries[len(entries)-1].Event.Seq; err != nil || found.Version != postgres.Format || found.Heads[lake].Head.Seq != want {
		t.Errorf("a journal: %+v, %v", found, err)
	}
	name := url[strings.LastIndex(url, "/t")+1 : strings.Index(url, "?")]
	exec(t, url, "CREATE ROLE garganey LOGIN", "ALTER ROLE garganey SET default_transaction_read_only = on")
	readOnly := postgres.Options{URL: server.URL(name, "garganey"), Unsafe: true}
	_, err = postgres.Look(t.Context(), readOnly)
	wantError(t, "a role that reads only", err, postgres.ErrReadOnly)
	exec(t, url, "INSERT INTO migrations (version_id, is_applied) VALUES (7, true)")
	_, err = postgres.Look(t.Context(), o)
	wantError(t, "newer tables", err, journal.ErrFormat)
	server.Stop()
	server.Standby(t)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	_, err = postgres.Look(t.Context(), o)
	wantError(t, "a standby", err, postgres.ErrReadOnly)
}

// TestLookAtRights: a role that could not begin, or not append, is found by a look.
func TestLookAtRights(t *testing.T) {
	server := postgrestest.Shared(t)
	url := server.Open(t)
	name := url[strings.LastIndex(url, "/t")+1 : strings.Index(url, "?")]
	o := postgres.Options{URL: server.URL(name, "pochard"), Unsafe: true}
	exec(t, url, "CREATE ROLE pochard LOGIN")
	wants := func(what, statement string) {
		t.Helper()
		_, err := postgres.Look(t.Context(), o)
		wantError(t, what, err, postgres.ErrMayNot)
		if err == nil || !strings.Contains(err.Error(), statement) {
			t.Errorf("%s: %v does not say %s", what, err, statement)
		}
	}
	wants("no schema", `CREATE SCHEMA "puddle" AUTHORIZATION pochard`)
	exec(t, url, "CREATE SCHEMA puddle")
	wants("a schema that it may not use", `GRANT USAGE ON SCHEMA "puddle" TO pochard`)
	exec(t, url, "GRANT USAGE ON SCHEMA puddle TO pochard")
	wants("a schema of others", `ALTER SCHEMA "puddle" OWNER TO pochard`)
	open(t, url)
	exec(t, url, "GRANT SELECT ON ALL TABLES IN SCHEMA puddle TO pochard")
	wants("who may read", `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "puddle" TO pochard`)
	exec(t, url, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA puddle TO pochard")
	if _, err := postgres.Look(t.Context(), o); err != nil {
		t.Errorf("who may write: %v", err)
	}
}
