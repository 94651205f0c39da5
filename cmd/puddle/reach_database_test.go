package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"puddle/internal/postgrestest"
	"puddle/journal/postgres"
)

// TestEndMissing: a replica whose database lacks the newest event is not ready and critical,
// and names the command that looks, until the event is there again.
func TestEndMissing(t *testing.T) {
	dir, url := t.TempDir(), postgrestest.Open(t)
	r := started(t, configured(t, dir, inPostgres(url)))
	r.make("", `{"namespace":["a"]}`)
	execute(t, url, `CREATE TABLE kept AS SELECT * FROM puddle.events WHERE seq = 2`, `DELETE FROM puddle.events WHERE seq = 2`)
	for range 2 {
		if status := r.post("/api/catalog/v1/namespaces", `{"namespace":["b"]}`); status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
			t.Errorf("a change is answered with %d", status)
		}
	}
	if status := r.ready(); status != http.StatusServiceUnavailable {
		t.Errorf("ready is %d", status)
	}
	if code, out := ran(t, dir, "status"); code != codeFindings || !strings.Contains(out, "puddle -c "+filepath.Join(dir, "puddle.yaml")+" verify") {
		t.Errorf("exit code %d: %s", code, out)
	}
	execute(t, url, `INSERT INTO puddle.events SELECT * FROM kept`)
	if status := r.ready(); status != http.StatusOK {
		t.Errorf("when it is there again ready is %d", status)
	}
	r.make("", `{"namespace":["b"]}`)
}

// TestAloneBesideReplica: while somebody is alone a replica that runs nevertheless, since its
// session beside the pool was lost, takes no change and says why.
func TestAloneBesideReplica(t *testing.T) {
	dir, url := t.TempDir(), postgrestest.Open(t)
	r := started(t, configured(t, dir, inPostgres(url)))
	db, err := postgres.Open(t.Context(), postgres.Options{URL: url, Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	leave := func() {}
	for err = postgres.ErrBusy; err != nil; leave, err = db.Alone(t.Context()) {
		execute(t, url, `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	}
	const namespaces = "/api/catalog/v1/namespaces"
	if status := r.post(namespaces, `{"namespace":["a"]}`); status != http.StatusServiceUnavailable && status != http.StatusTooManyRequests {
		t.Errorf("a change is answered with %d", status)
	}
	var page statusPage
	_, out := ran(t, dir, "status --json")
	if err := json.Unmarshal([]byte(out), &page); err != nil || page.Writer.State != "no-database" || !strings.Contains(out, "is alone with") {
		t.Errorf("%v: %s", err, out)
	}
	leave()
	if status := r.ready(); status != http.StatusOK {
		t.Errorf("when it is alone no more ready is %d", status)
	}
	r.make("", `{"namespace":["a"]}`)
}
