package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/rs/zerolog"

	"puddle/internal/postgrestest"
)

// withTable serves a table over a database.
func withTable(t *testing.T, dir, url string) *running {
	t.Helper()
	r := started(t, replica(t, dir, url, 1, ""))
	r.make("", `{"namespace":["a"]}`)
	r.make("/a/tables", `{"name":"t","schema":{"type":"struct","fields":[]}}`)
	return r
}

// Without its database a replica refuses, surely and to be tried again, and says so; when
// the database is back so is the replica, by itself.
func TestDatabaseRestarts(t *testing.T) {
	server, dir := postgrestest.New(t, "fsync=on"), t.TempDir()
	r := withTable(t, dir, server.Open(t))
	for _, value := range []string{"first", "second"} {
		if status, _, kind := r.commit(value); status != http.StatusOK {
			t.Fatalf("commit: %d %s", status, kind)
		}
		server.Stop()
		if status, retry, kind := r.commit("lost"); status != http.StatusTooManyRequests || retry == "" {
			t.Errorf("a commit without the database: %d %s, Retry-After %q", status, kind, retry)
		}
		if status, body := r.read(oneTable); status != http.StatusServiceUnavailable {
			t.Errorf("a load without the database: %d %s", status, body)
		}
		if status, body := r.read("/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(body, "the database cannot be reached") {
			t.Errorf("readyz: %d %s", status, body)
		}
		status, body := r.read("/api/puddle/v1/status")
		if status != http.StatusOK || !strings.Contains(body, `"state":"no-database"`) || !strings.Contains(body, `"critical":true`) {
			t.Errorf("status: %d %s", status, body)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		if status := r.ready(); status != http.StatusOK {
			t.Errorf("readyz with the database: %d", status)
		}
		if got := r.property(); got != value {
			t.Errorf("the property is %q, want %q", got, value)
		}
	}
	r.stopped()
}

// A server that is started before its database waits, and says so.
func TestDatabaseComesLater(t *testing.T) {
	server, dir := postgrestest.New(t, "fsync=on"), t.TempDir()
	url := server.Open(t)
	server.Stop()
	waiting := make(chan struct{}, 100)
	log := zerolog.New(writerFunc(func(line []byte) {
		if strings.Contains(string(line), "waiting for the database") {
			waiting <- struct{}{}
		}
	}))
	s, err := newServer(replica(t, dir, url, 1, ""), log)
	if err != nil {
		t.Fatal(err)
	}
	opened := make(chan error, 1)
	go func() { opened <- s.open(t.Context()) }()
	<-waiting
	r := &running{server: s, t: t}
	if status, body := r.read("/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(body, "waiting for the database") {
		t.Errorf("readyz: %d %s", status, body)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
	if status := r.ready(); status != http.StatusOK {
		t.Errorf("readyz with the database: %d", status)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// A server that is stopped while it waits for its database stops in order.
func TestStopWhileWaiting(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	log := zerolog.New(writerFunc(func([]byte) { stop() })) // it waits
	url := "postgres://a@127.0.0.1:1/b?sslmode=disable"
	if _, err := startServer(ctx, replica(t, t.TempDir(), url, 1, ""), log.Level(zerolog.WarnLevel)); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

// What could lose what it acknowledged is refused for safety, with what to set.
func TestUnsafeDatabases(t *testing.T) {
	refuses := func(url, what string) {
		t.Helper()
		_, err := startServer(t.Context(), replica(t, t.TempDir(), url, 1, ""), zerolog.Nop())
		if exitCode(err) != codeRefused || !strings.Contains(err.Error(), what) {
			t.Errorf("exit code %d, %v", exitCode(err), err)
		}
	}
	refuses(postgrestest.New(t, "fsync=off").Open(t), "set fsync = on")
	server := postgrestest.Shared(t)
	for setting, what := range map[string]string{
		"synchronous_commit=off":           "set synchronous_commit = on",
		"default_transaction_read_only=on": "must lead to the primary",
	} {
		url := server.Open(t)
		execute(t, url, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET `+setting+`', current_database()); END $$`)
		refuses(url, what)
	}
}

// A server that becomes read only while a replica runs, as one does in a failover, takes no
// changes; reads go on where it lets them.
func TestDatabaseBecomesReadOnly(t *testing.T) {
	server, dir := postgrestest.New(t, "fsync=on"), t.TempDir()
	source := server.Open(t)
	r := withTable(t, dir, source)
	set := func(value string, ready int) {
		t.Helper()
		own, err := url.Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		own.RawQuery += "&default_transaction_read_only=off"
		execute(t, own.String(), `ALTER SYSTEM SET default_transaction_read_only = `+value, `SELECT pg_reload_conf()`)
		for r.ready() != ready { // sessions hear of it one after the other
		}
	}
	set("on", http.StatusServiceUnavailable)
	status, retry, kind := r.commit("refused")
	for status == http.StatusOK { // by a session that has not heard
		status, retry, kind = r.commit("refused")
	}
	if status != http.StatusTooManyRequests || retry == "" {
		t.Errorf("a commit: %d %s, Retry-After %q", status, kind, retry)
	}
	for ready, body := r.read("/readyz"); !strings.Contains(body, "the database is read only"); ready, body = r.read("/readyz") {
		if ready != http.StatusOK { // as by a session that has not heard
			t.Fatalf("readyz: %d %s", ready, body)
		}
	}
	set("off", http.StatusOK)
	status, _, kind = r.commit("made")
	for status == http.StatusTooManyRequests { // by a session that has not heard
		status, _, kind = r.commit("made")
	}
	if status != http.StatusOK {
		t.Errorf("a commit afterwards: %d %s", status, kind)
	}
	r.stopped()
}

// A replica that has seen what its database does not hold any more serves nothing of it,
// tells an operator, and goes on when it is there again.
func TestDatabaseWentBack(t *testing.T) {
	server, dir := postgrestest.Shared(t), t.TempDir()
	url := server.Open(t)
	r := withTable(t, dir, url)
	if status, _, kind := r.commit("first"); status != http.StatusOK {
		t.Fatalf("commit: %d %s", status, kind)
	}
	back := func(by string) {
		t.Helper()
		execute(t, url, `UPDATE puddle.heads SET seq = seq `+by, `UPDATE puddle.cursor SET seq = seq `+by)
	}
	back("- 1")
	if status, retry, kind := r.commit("second"); status != http.StatusTooManyRequests || retry == "" {
		t.Errorf("a commit: %d %s, Retry-After %q", status, kind, retry)
	}
	if status, body := r.read(oneTable); status != http.StatusServiceUnavailable {
		t.Errorf("a load: %d %s", status, body)
	}
	if status, body := r.read("/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(body, "does not hold what it acknowledged") {
		t.Errorf("readyz: %d %s", status, body)
	}
	if status, body := r.read("/api/puddle/v1/status"); status != http.StatusOK || !strings.Contains(body, `"critical":true`) || !strings.Contains(body, "was seen at") {
		t.Errorf("status: %d %s", status, body)
	}
	back("+ 1")
	if status := r.ready(); status != http.StatusOK {
		t.Errorf("readyz when it is there again: %d", status)
	}
	if got := r.property(); got != "first" {
		t.Errorf("the property is %q", got)
	}
	r.stopped()
}

// Nobody who runs is in the way of a command, nor is the data folder of one that runs.
func TestCommandsBesideReplicas(t *testing.T) {
	dir, url := t.TempDir(), postgrestest.Open(t)
	r := withTable(t, dir, url)
	replica(t, dir, url, 2, "")
	for _, args := range []string{"log", "at default seq:3", "history default a.t", "status", "diff default seq:1 seq:3"} {
		for _, i := range []string{"1", "2"} { // by the server, and by the database
			if out := report(t, dir+"/puddle"+i+".yaml", codeDone, strings.Fields(args)...); out == "" {
				t.Errorf("%s of replica %s reports nothing", args, i)
			}
		}
	}
	r.ask(http.MethodDelete, oneTable, http.StatusNoContent)
	report(t, dir+"/puddle2.yaml", codeDone, "undrop", "default", "a.t")
	if status := r.get(oneTable); status != http.StatusOK {
		t.Errorf("undropped beside it: %d", status)
	}
	r.stopped()
}

// A database that was restored from a backup is served read only, as of the backup: its
// archive knows of more. An empty one is refused (interface §5.11).
func TestDatabaseWasRestored(t *testing.T) {
	server, dir := postgrestest.Shared(t), t.TempDir()
	source, err := url.Parse(server.Open(t))
	if err != nil {
		t.Fatal(err)
	}
	r := withTable(t, dir, source.String())
	if status, _, kind := r.commit("kept"); status != http.StatusOK {
		t.Fatalf("commit: %d %s", status, kind)
	}
	r.stopped()
	backup := *source
	backup.Path += "_backup"
	server.Exec(t, fmt.Sprintf(`CREATE DATABASE %q TEMPLATE %q`, backup.Path[1:], source.Path[1:]))
	r = started(t, replica(t, dir, source.String(), 1, ""))
	if status, _, kind := r.commit("lost"); status != http.StatusOK {
		t.Fatalf("commit: %d %s", status, kind)
	}
	r.stopped()

	r = started(t, replica(t, dir, backup.String(), 1, ""))
	if got := r.property(); got != "kept" {
		t.Errorf("the property is %q", got)
	}
	if status, retry, _ := r.commit("more"); status != http.StatusTooManyRequests || retry == "" {
		t.Errorf("a commit: %d, Retry-After %q", status, retry)
	}
	if status, body := r.read("/api/puddle/v1/status"); !strings.Contains(body, "puddle recover --warehouse default --from archive") {
		t.Errorf("status: %d %s", status, body)
	}
	r.stopped()

	_, err = startServer(t.Context(), replica(t, dir, server.Open(t), 1, ""), zerolog.Nop())
	if exitCode(err) != codeRefused || !strings.Contains(next(err), "puddle recover") {
		t.Errorf("an empty database: exit code %d, %v", exitCode(err), err)
	}
}

// execute runs statements on a database.
func execute(t *testing.T, url string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, s := range statements {
		if _, err := conn.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}
