package main

import (
	"net/http"
	"strings"
	"testing"

	"puddle/internal/postgrestest"
)

// TestDocumentedRoles: with exactly the roles and rights of docs/replicas.md the owner makes
// the tables, the server's role serves, the reader's reports, and each of them can dump all.
func TestDocumentedRoles(t *testing.T) {
	server, dir := postgrestest.New(t, "fsync=on"), t.TempDir()
	sql := blocks(sqlBlock, section(t, "replicas.md", "Roles and rights"))
	if len(sql) != 2 {
		t.Fatalf("the page has %d blocks of SQL", len(sql))
	}
	for _, s := range statements(sql[0]) {
		server.Exec(t, s)
	}
	as := func(role string) string { return server.URL("puddle", role) }
	execute(t, as("puddle_owner"), statements(sql[1])...)
	r := withTable(t, dir, as("puddle_owner"))
	r.committed("the owner's")
	r.stopped()
	r = started(t, replica(t, dir, as("puddle_server"), 2, ""))
	r.committed("the server's")
	replica(t, dir, as("puddle_reader"), 3, "")
	if out := report(t, dir+"/puddle3.yaml", codeDone, "log"); strings.Count(out, "tables-committed") != 2 {
		t.Errorf("the log, for the reader: %s", out)
	}
	for _, role := range []string{"puddle_owner", "puddle_server", "puddle_reader"} {
		server.Run(t, `pg_dump --format=custom --schema=puddle --file=puddle.dump "`+as(role)+`"`)
	}
	if status := r.ready(); status != http.StatusOK {
		t.Errorf("ready is %d", status)
	}
	r.stopped()
}
