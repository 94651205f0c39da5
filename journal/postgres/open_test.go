package postgres_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// TestManyStart: of many that start at once one makes the tables, and all have them.
func TestManyStart(t *testing.T) {
	t.Parallel()
	url := postgrestest.Open(t)
	const starters = 8
	all := make([]*postgres.DB, starters)
	errs := make([]error, starters)
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() {
			all[i], errs[i] = postgres.Open(t.Context(), postgres.Options{URL: url, Unsafe: true, MaxConnections: 2})
		})
	}
	wait.Wait()
	for i, db := range all {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		defer db.Close()
	}
	journaltest.Append(t, all[0], births(t, lake))
	journaltest.Append(t, all[1], []journal.Entry{after(t, all[2], draft(lake))})
	if n := ask[int](t, url, `SELECT count(*) FROM migrations WHERE version_id = $1`, postgres.Format); n != 1 {
		t.Errorf("the migration was run %d times", n)
	}
}

// TestUnprivileged: who starts needs no rights but those on its schema.
func TestUnprivileged(t *testing.T) {
	t.Parallel()
	server := postgrestest.Shared(t)
	url := server.Open(t)
	exec(t, url, "CREATE SCHEMA puddle", "CREATE ROLE duck LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE")
	name := url[strings.LastIndex(url, "/t")+1 : strings.Index(url, "?")]
	theirs := postgres.Options{URL: server.URL(name, "duck"), Unsafe: true}
	if _, err := postgres.Open(t.Context(), theirs); err == nil || !strings.Contains(err.Error(), "GRANT USAGE ON SCHEMA \"puddle\" TO duck") {
		t.Errorf("without rights: %v", err)
	}
	missing := theirs
	missing.Schema = "elsewhere"
	if _, err := postgres.Open(t.Context(), missing); err == nil || !strings.Contains(err.Error(), "CREATE SCHEMA \"elsewhere\" AUTHORIZATION duck") {
		t.Errorf("a schema that it may not make: %v", err)
	}
	exec(t, url, "GRANT USAGE ON SCHEMA puddle TO duck")
	if _, err := postgres.Open(t.Context(), theirs); !errors.Is(err, postgres.ErrMayNot) || !strings.Contains(err.Error(), "ALTER SCHEMA \"puddle\" OWNER TO duck") {
		t.Errorf("a schema in which it may make nothing: %v", err)
	}
	exec(t, url, "ALTER SCHEMA puddle OWNER TO duck")
	db := openWith(t, theirs)
	entries := births(t, lake)
	journaltest.Append(t, db, entries)
	journaltest.WantEntries(t, db.Warehouse(lake), entries)

	exec(t, url, "CREATE ROLE gull LOGIN", "GRANT USAGE ON SCHEMA puddle TO gull",
		"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA puddle TO gull")
	user := openWith(t, postgres.Options{URL: server.URL(name, "gull"), Unsafe: true})
	journaltest.Append(t, user, []journal.Entry{after(t, user, draft(lake))})
}

// TestUnsafeServers: a server that could lose what it has acknowledged is refused,
// and so is one that is a copy.
func TestUnsafeServers(t *testing.T) {
	t.Parallel()
	safe := postgrestest.New(t, "fsync=on")
	url := safe.Open(t)
	opened := openWith(t, postgres.Options{URL: url})
	journaltest.Append(t, opened, births(t, lake))
	try := func(o postgres.Options) error {
		db, err := postgres.Open(t.Context(), o)
		if err == nil {
			db.Close()
		}
		return err
	}
	wantError(t, "fsync=off", try(postgres.Options{URL: postgrestest.Open(t)}), postgres.ErrFsyncOff)
	wantError(t, "synchronous_commit=off", try(postgres.Options{URL: url + "&synchronous_commit=off"}), postgres.ErrSynchronousCommitOff)
	wantError(t, "read only", try(postgres.Options{URL: url + "&default_transaction_read_only=on", Unsafe: true}), postgres.ErrReadOnly)
	if err := try(postgres.Options{URL: url + "&synchronous_commit=local"}); err != nil {
		t.Errorf("synchronous_commit=local: %v", err)
	}

	safe.Exec(t, "ALTER SYSTEM SET synchronous_commit = off")
	safe.Exec(t, "SELECT pg_reload_conf()")
	var err error
	for err == nil { // sessions that are there read it when they get to it
		err = opened.Append(t.Context(), after(t, opened, draft(lake)))
	}
	wantError(t, "synchronous_commit=off by then", err, postgres.ErrSynchronousCommitOff)

	next := after(t, opened, draft(lake))
	safe.Stop()
	safe.Standby(t)
	if err := safe.Start(); err != nil {
		t.Fatal(err)
	}
	wantError(t, "a standby", try(postgres.Options{URL: url}), postgres.ErrReadOnly)
	if err := opened.Append(t.Context(), next); err == nil {
		t.Error("a standby takes an append")
	}
}

// TestSchemas: journals in two schemas of a database do not meet.
func TestSchemas(t *testing.T) {
	url := postgrestest.Open(t)
	one, other := open(t, url), openWith(t, postgres.Options{URL: url, Schema: "other_1", Unsafe: true})
	journaltest.Append(t, one, births(t, lake))
	journaltest.Append(t, other, append(births(t, lake), births(t, pond)...))
	for db, want := range map[*postgres.DB]int{one: 1, other: 2} {
		if ids, err := db.Warehouses(t.Context()); err != nil || len(ids) != want {
			t.Errorf("warehouses: %v, %v", ids, err)
		}
	}
}

// TestNewerTables: tables of a newer build are left alone.
func TestNewerTables(t *testing.T) {
	url := postgrestest.Open(t)
	open(t, url)
	exec(t, url, "INSERT INTO migrations (version_id, is_applied) VALUES (7, true)")
	_, err := postgres.Open(t.Context(), postgres.Options{URL: url, Unsafe: true})
	wantError(t, "newer tables", err, journal.ErrFormat)
}

func TestBadOptions(t *testing.T) {
	for what, o := range map[string]postgres.Options{
		"schema":       {URL: "postgres://a/b", Schema: "pud dle"},
		"connections":  {URL: "postgres://a/b", MaxConnections: -1},
		"cannot parse": {URL: "postgres://duck:secret@a:b/c"},
	} {
		_, err := postgres.Open(t.Context(), o)
		if err == nil || !strings.Contains(err.Error(), what) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
