package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"puddle/internal/postgrestest"
)

// TestProbeOfADatabase: a primary is told of, with and without a journal, and a standby and
// who may only read are findings.
func TestProbeOfADatabase(t *testing.T) {
	server, dir := postgrestest.New(t, "fsync=on"), t.TempDir()
	url := server.Open(t)
	c := configured(t, dir, inPostgres(url))
	if code, out := ran(t, dir, "config check --probe"); code != codeDone || !strings.Contains(out, "a primary; there is no journal in the schema puddle yet: the first start of puddle ") {
		t.Errorf("before the first start: exit code %d: %s", code, out)
	}
	r := started(t, c)
	r.make("", `{"namespace":["a"]}`)
	id := r.node.warehouses[0].id.String()
	r.stopped()
	if code, out := ran(t, dir, "config check --probe"); code != codeDone || !strings.Contains(out, "as "+postgrestest.Superuser+", a primary; the schema puddle holds a journal: "+id+" ends at 2\n") {
		t.Errorf("a primary: exit code %d: %s", code, out)
	}
	var page struct{ Metastore metastoreReport }
	if err := json.Unmarshal([]byte(report(t, filepath.Join(dir, "puddle.yaml"), codeDone, "config", "check", "--probe", "--json")), &page); err != nil {
		t.Fatal(err)
	}
	if is := page.Metastore.Reached; is == nil || !is.Primary || is.Format == 0 || len(is.Heads) != 1 || is.Heads[0].Seq != 2 || is.Role != postgrestest.Superuser {
		t.Errorf("in JSON: %+v", page.Metastore)
	}
	execute(t, url, "CREATE ROLE scaup LOGIN", "GRANT USAGE ON SCHEMA puddle TO scaup", "GRANT SELECT ON ALL TABLES IN SCHEMA puddle TO scaup")
	theirs := strings.Replace(url, postgrestest.Superuser+"@", "scaup@", 1)
	theirs = strings.Replace(theirs, "user="+postgrestest.Superuser, "user=scaup", 1)
	wantFinding(t, theirs, "GRANT SELECT, INSERT, UPDATE, DELETE")
	execute(t, url, "ALTER ROLE scaup SET default_transaction_read_only = on")
	wantFinding(t, theirs, "the PostgreSQL server is read only")
	server.Stop()
	server.Standby(t)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	wantFinding(t, url, "the PostgreSQL server is read only")
}

func wantFinding(t *testing.T, url, said string) {
	t.Helper()
	dir := t.TempDir()
	configured(t, dir, inPostgres(url))
	if code, out := ran(t, dir, "config check --probe"); code != codeFindings || !strings.Contains(out, "finding: metastore: metastore.postgresql: ") || !strings.Contains(out, said) {
		t.Errorf("%s: exit code %d: %s", said, code, out)
	}
}

// TestDatabaseNotBegun: what tells of a catalog says that there is none yet, and makes none.
func TestDatabaseNotBegun(t *testing.T) {
	dir := t.TempDir()
	configured(t, dir, inPostgres(postgrestest.Open(t)))
	for _, args := range []string{"log", "status", "history default a.b"} {
		var told bytes.Buffer
		s := &session{stdout: &told, stderr: &told, stop: t.Context(), force: t.Context()}
		code := run(append([]string{"-c", filepath.Join(dir, "puddle.yaml")}, strings.Fields(args)...), s)
		if code != codeNoLook || !strings.Contains(told.String(), "there is no catalog in the schema puddle of the database yet: the first start of puddle ") {
			t.Errorf("%s: exit code %d: %s", args, code, told.String())
		}
	}
}

// TestUnknownSetting: a setting that the server does not know ends a start at once, which
// names the key and the variable that it is told by.
func TestUnknownSetting(t *testing.T) {
	t.Setenv("LAKE_URL", postgrestest.Open(t)+"&sslmod=require")
	var told strings.Builder
	_, err := startServer(t.Context(), configured(t, t.TempDir(), "metastore: {type: postgresql, postgresql: {url: '${LAKE_URL}'}}\n"), zerolog.New(&told))
	if exitCode(err) != codeNoLook || !strings.Contains(err.Error(), `"sslmod"`) || !strings.Contains(err.Error(), "mend metastore.postgresql.url (${LAKE_URL})") {
		t.Errorf("exit code %d: %v", exitCode(err), err)
	}
	if strings.Contains(told.String(), "waiting") {
		t.Errorf("it waits: %s", told.String())
	}
}
