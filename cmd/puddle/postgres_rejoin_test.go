package main

import (
	"path/filepath"
	"strings"
	"testing"

	"puddle/internal/postgrestest"
)

// TestDocumentedFailoverIsRun: with the commands and statements of the operations page a
// standby is made, another one follows the new primary after a failover, and the old primary,
// which had written something alone, becomes a standby without it.
func TestDocumentedFailoverIsRun(t *testing.T) {
	text := section(t, "operations.md", "PostgreSQL: failover")
	settings, sql, commands := blocks(iniBlock, text), blocks(sqlBlock, text), blocks(shellBlock, text)
	if len(settings) != 2 || len(sql) != 2 || len(commands) != 2 {
		t.Fatalf("the page has %d blocks of settings, %d of SQL and %d of commands", len(settings), len(sql), len(commands))
	}
	old := postgrestest.New(t, "fsync=on")
	old.Run(t, "cat >> data/postgresql.conf <<'end'\n"+settings[0]+"end\n")
	old.Stop()
	if err := old.Start(); err != nil {
		t.Fatal(err)
	}
	for _, s := range statements(sql[0]) {
		old.Exec(t, s)
	}
	old.Run(t, strings.NewReplacer("db1.example.org", filepath.Dir(old.Socket()), "/srv/data", "made").Replace(commands[0])+"test -f made/standby.signal")
	next, other := old.Follower(t, "next"), old.Follower(t, "other")
	next.Caught(t, old)
	other.Caught(t, old)
	next.Forsake(t)
	other.Forsake(t)
	old.Exec(t, "CREATE TABLE alone ()")
	failover(t, old, next)

	leads := strings.NewReplacer("db2.example.org", filepath.Dir(next.Socket()), "/srv/data", "data")
	for _, s := range statements(leads.Replace(sql[1])) {
		other.Exec(t, s)
	}
	old.Run(t, leads.Replace(commands[1]))
	if err := old.Start(); err != nil {
		t.Fatal(err)
	}
	next.Exec(t, "CREATE TABLE after ()")
	for _, standby := range []*postgrestest.Cluster{other, old} {
		standby.Caught(t, next)
		standby.Exec(t, "DO $$ BEGIN ASSERT pg_is_in_recovery() AND to_regclass('after') IS NOT NULL AND to_regclass('alone') IS NULL; END $$")
	}
}
