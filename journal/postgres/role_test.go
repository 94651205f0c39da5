package postgres_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// TestSettingsOfTheDatabase: what an administrator has set for a database, or a role, does
// not change what the journal does, and a start waits for that of others for longer than a
// statement may take.
func TestSettingsOfTheDatabase(t *testing.T) {
	url := postgrestest.Open(t)
	watcher := connect(t, url)
	if _, err := watcher.Exec(t.Context(), `SELECT pg_advisory_lock(hashtextextended('puddle: migrate puddle', 0))`); err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{
		"default_transaction_isolation = serializable", "default_transaction_deferrable = on", "statement_timeout = '150ms'", "lock_timeout = '1ms'",
		"search_path = elsewhere", "bytea_output = escape", "standard_conforming_strings = off", "TimeZone = 'Asia/Kathmandu'",
		"DateStyle = 'German'", "transform_null_equals = on", "enable_indexscan = off", "client_encoding = 'LATIN1'",
	} {
		if _, err := watcher.Exec(t.Context(), `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET `+strings.ReplaceAll(set, "'", "''")+`', current_database()); END $$`); err != nil {
			t.Fatal(set, err)
		}
	}
	opened := make(chan error, 1)
	var db *postgres.DB
	go func() (err error) {
		defer func() { opened <- err }()
		db, err = postgres.Open(context.Background(), postgres.Options{URL: url, Unsafe: true})
		return err
	}()
	for waits := false; !waits && len(opened) == 0; {
		if err := watcher.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
			AND wait_event = 'advisory' AND clock_timestamp() - query_start > interval '300ms')`).Scan(&waits); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := watcher.Exec(t.Context(), `SELECT pg_advisory_unlock_all()`); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	journaltest.Append(t, db, births(t, lake))
	d := draft(lake)
	d.Body = journal.NamespaceCreated{ID: d.ID, Namespace: journal.Namespace{`\'é\\`}}
	e := after(t, db, d)
	wantTruth(t, db, e, db.Append(t.Context(), e))
	if n := times(t, db, e); n != 1 {
		t.Errorf("it is there %d times", n)
	}
	lease := db.Lease(lake, "followers", postgres.LeaseOptions{})
	if !postgres.Gain(t.Context(), lease) {
		t.Error("nobody has it")
	}
	if got := settingOf(t, db, "transaction_isolation"); got != "read committed" {
		t.Errorf("its transactions are %s", got)
	}
	flaws := 0
	if _, err := db.Audit(t.Context(), lake, func(journal.Flaw) { flaws++ }); err != nil || flaws > 0 {
		t.Errorf("%d flaws, %v", flaws, err)
	}
	now, err := db.AskClock(t.Context())
	if off := time.Since(now).Abs(); err != nil || off > time.Hour {
		t.Errorf("its clock is off by %s, %v", off, err)
	}
}

// TestJoinOutlastsIdleSessions: the session of a server that runs is not ended for doing
// nothing, whatever the role has for those.
func TestJoinOutlastsIdleSessions(t *testing.T) {
	url := postgrestest.Open(t)
	db, watcher := open(t, url), connect(t, url)
	if _, err := watcher.Exec(t.Context(), `DO $$ BEGIN
		IF EXISTS (SELECT FROM pg_settings WHERE name = 'idle_session_timeout') THEN
			EXECUTE format('ALTER DATABASE %I SET idle_session_timeout = 200', current_database());
		END IF; END $$`); err != nil {
		t.Fatal(err)
	}
	leave, err := db.Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	joined := func() (pid int) {
		t.Helper()
		if err := watcher.QueryRow(t.Context(), `SELECT coalesce(max(pid), 0) FROM (`+holders+`) AS h`, "ShareLock").Scan(&pid); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	first := joined()
	for idle := false; !idle; {
		if err := watcher.QueryRow(t.Context(), `SELECT coalesce((SELECT clock_timestamp() - state_change > interval '500ms'
			FROM pg_stat_activity WHERE pid = $1), true)`, first).Scan(&idle); err != nil {
			t.Fatal(err)
		}
	}
	if now := joined(); first == 0 || now != first {
		t.Errorf("its session was %d, and is %d", first, now)
	}
}

// settingOf is a setting of the sessions of a journal.
func settingOf(t *testing.T, db *postgres.DB, name string) (value string) {
	t.Helper()
	if err := db.Pool().QueryRow(t.Context(), `SELECT current_setting($1)`, name).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}
