package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"puddle/internal/postgrestest"
)

// pointInTime is a catalog in a server that archives its WAL, of which there is a base
// backup. After it a table was changed and another one made; then the server was lost.
type pointInTime struct {
	*testing.T
	dir      string
	database string
	base     *postgrestest.Cluster
	wal      string
	moment   string // after the first change
}

// The settings are those of the operations page, but for the folder.
const (
	archiveCommand = "test ! -f /srv/wal/%f && cp %p /srv/wal/%f"
	restoreCommand = "cp /srv/wal/%f %p"
	restorePoint   = "before the migration"
)

// beside is a setting with the folder of WAL beside that of the server's data.
func beside(command string) string { return strings.ReplaceAll(command, "/srv/wal", "../wal") }

func newPointInTime(t *testing.T) pointInTime {
	server, dir := postgrestest.New(t, "fsync=on", "archive_mode=on", "archive_command="+beside(archiveCommand)), t.TempDir()
	wal := server.Folder(t, "wal")
	p := pointInTime{T: t, dir: dir, database: server.Open(t)}
	r := withTable(t, dir, p.database)
	p.base = server.Backup(t, "restore_command="+strings.ReplaceAll(restoreCommand, "/srv/wal", wal),
		"recovery_target_timeline=current", "recovery_target_action=promote", "archive_mode=off")
	p.wal = wal
	commit := func(value string) {
		t.Helper()
		if status, _, kind := r.commit(value); status != http.StatusOK {
			t.Fatalf("commit: %d %s", status, kind)
		}
	}
	commit("kept")
	server.Exec(t, "SELECT pg_create_restore_point('"+restorePoint+"')")
	p.moment = now(t, p.database)
	commit("later")
	r.make("/a/tables", `{"name":"later","schema":{"type":"struct","fields":[]}}`)
	r.stopped()
	server.Archived(t)
	server.Stop()
	p.copied("w", "kept")
	return p
}

// now is the time that a database has.
func now(t *testing.T, database string) (text string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), "SELECT clock_timestamp()::text").Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

func (p pointInTime) copied(from, to string) {
	p.Helper()
	to = filepath.Join(p.dir, to)
	if err := os.RemoveAll(to); err != nil {
		p.Fatal(err)
	}
	if out, err := exec.Command("cp", "-pR", filepath.Join(p.dir, from), to).CombinedOutput(); err != nil {
		p.Fatalf("%v: %s", err, out)
	}
}

// restored recovers the server to a target, beside the warehouse as it was when the server
// was lost, and gives the configuration of the i-th replica over it.
func (p pointInTime) restored(i int, target ...string) (replicaOf func() *running, file string) {
	p.Helper()
	p.copied("kept", "w")
	server := p.base.Again(p.T, target...)
	server.Recover(p.T)
	u, err := url.Parse(p.database)
	if err != nil {
		p.Fatal(err)
	}
	c := replica(p.T, p.dir, server.URL(u.Path[1:], postgrestest.Superuser), i, "")
	return func() *running { return started(p.T, c) }, filepath.Join(p.dir, fmt.Sprintf("puddle%d.yaml", i))
}

// isBehind checks that a replica serves the catalog of the moment, and takes no change.
func (p pointInTime) isBehind(r *running) {
	p.Helper()
	if got := r.property(); got != "kept" {
		p.Errorf("the property is %q", got)
	}
	if status := r.get("/api/catalog/v1/namespaces/a/tables/later"); status != http.StatusNotFound {
		p.Errorf("a table of later: %d", status)
	}
	if status, retry, kind := r.commit("more"); status != http.StatusTooManyRequests || retry == "" {
		p.Errorf("a commit: %d %s, Retry-After %q", status, kind, retry)
	}
	if status := r.ready(); status != http.StatusServiceUnavailable {
		p.Errorf("ready is %d", status)
	}
	_, body := r.read("/api/puddle/v1/status")
	for _, want := range []string{"is read only, as of", "recover --warehouse default --from archive", "--at seq:4"} {
		if !strings.Contains(body, want) {
			p.Errorf("status does not say %q: %s", want, body)
		}
	}
}

// isWhole checks that a replica has all that was acknowledged, and takes changes.
func (p pointInTime) isWhole(r *running) {
	p.Helper()
	if got := r.property(); got != "later" {
		p.Errorf("the property is %q", got)
	}
	if status := r.get("/api/catalog/v1/namespaces/a/tables/later"); status != http.StatusOK {
		p.Errorf("a table of later: %d", status)
	}
	if status, _, kind := r.commit("more"); status != http.StatusOK || r.ready() != http.StatusOK {
		p.Errorf("a commit: %d %s, ready is %d", status, kind, r.ready())
	}
}

// TestPointInTime: a server that was recovered to a moment serves as of it until somebody says
// how to go on, and either way leads to all that was acknowledged; one that was recovered to
// the end of its WAL lacks nothing and goes on, also where an earlier restore of the same base
// backup has put its timeline into the archive.
func TestPointInTime(t *testing.T) {
	p := newPointInTime(t)
	p.forward(1)
	if os.Getenv("PUDDLE_TEST_REQUIRE") != "all" {
		return
	}
	p.drilled()
	p.staying(2)
	p.toTheEnd(3)
}

// drilled recovers to a restore point as a drill that goes wrong does: it archives what it
// writes beside the original's WAL.
func (p pointInTime) drilled() {
	p.Helper()
	server := p.base.Again(p.T, "recovery_target_name="+restorePoint, "archive_mode=on", "archive_command="+strings.ReplaceAll(archiveCommand, "/srv/wal", p.wal))
	server.Recover(p.T)
	server.Exec(p.T, "CREATE TABLE drill ()")
	server.Archived(p.T)
	server.Stop()
	if _, err := os.Stat(filepath.Join(p.wal, "00000002.history")); err != nil {
		p.Errorf("the drill has archived no timeline: %v", err)
	}
}

// forward recovers to a restore point, and goes on from what the archive has beyond it.
func (p pointInTime) forward(i int) {
	serve, file := p.restored(i, "recovery_target_name="+restorePoint)
	r := serve()
	p.isBehind(r)
	r.stopped()
	report(p.T, file, codeRefused, "repoint", "default", "a.t", "--newest", "--reason", "r")
	report(p.T, file, codeDone, "recover", "--from", "archive")
	r = serve()
	p.isWhole(r)
	r.stopped()
	report(p.T, file, codeDone, "verify", "--level", "4")
}

// staying recovers to a time, stays there, and takes up what came later.
func (p pointInTime) staying(i int) {
	serve, file := p.restored(i, "recovery_target_time="+p.moment)
	r := serve()
	p.isBehind(r)
	r.stopped()
	report(p.T, file, codeDone, "recover", "--at", "seq:4")
	r = serve()
	if got := r.property(); got != "kept" {
		p.Errorf("the property is %q", got)
	}
	report(p.T, file, codeDone, "repoint", "default", "a.t", "--newest", "--reason", "after the restore")
	r.stopped()
	report(p.T, file, codeWarnings, "recover", "--allow-nonempty")
	r = serve()
	p.isWhole(r)
	r.stopped()
	report(p.T, file, codeDone, "verify", "--level", "4")
}

// toTheEnd recovers to the end of the WAL: nothing is lost.
func (p pointInTime) toTheEnd(i int) {
	serve, file := p.restored(i)
	r := serve()
	p.isWhole(r)
	r.stopped()
	report(p.T, file, codeDone, "verify", "--level", "4")
}
