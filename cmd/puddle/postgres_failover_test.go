package main

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/projections/anchor"
)

// hosts leads to a database in whichever of some servers takes writes.
func hosts(t *testing.T, database string, all ...*postgrestest.Cluster) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	var sockets []string
	for _, c := range all {
		sockets = append(sockets, filepath.Dir(c.Socket()))
	}
	u.RawQuery = url.Values{"host": {strings.Join(sockets, ",")}, "target_session_attrs": {"read-write"}}.Encode()
	return u.String()
}

// synchronous says which standbys a server waits for.
func synchronous(t *testing.T, server *postgrestest.Cluster, names string) {
	t.Helper()
	server.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = '"+names+"'")
	server.Exec(t, "SELECT pg_reload_conf()")
}

// failover ends a server at once, and has its standby take its place.
func failover(t *testing.T, from, to *postgrestest.Cluster) {
	t.Helper()
	from.Stop()
	to.Promote(t)
}

// With a synchronous standby a failover loses nothing that was acknowledged, and replicas go
// on by themselves where it is. While it is a standby, none serves from it.
func TestFailoverToASynchronousStandby(t *testing.T) {
	primary, dir := postgrestest.New(t, "fsync=on"), t.TempDir()
	database := primary.Open(t)
	standby := primary.Follower(t, "one")
	synchronous(t, primary, "one")
	all := hosts(t, database, primary, standby)
	a := withTable(t, dir, all)
	b := started(t, replica(t, dir, all, 2, ""))
	if status, _, kind := a.commit("first"); status != http.StatusOK {
		t.Fatalf("commit: %d %s", status, kind)
	}
	alone := hosts(t, database, standby)
	direct := strings.Replace(alone, "read-write", "any", 1)
	if _, err := startServer(t.Context(), replica(t, dir, direct, 3, ""), zerolog.Nop()); exitCode(err) != codeRefused || !strings.Contains(err.Error(), "must lead to the primary") {
		t.Errorf("a standby is served: exit code %d, %v", exitCode(err), err)
	}
	if out := report(t, dir+"/puddle3.yaml", codeDone, "log", "--limit", "1"); !strings.Contains(out, "tables-committed") {
		t.Errorf("the log of a standby: %s", out)
	}
	failover(t, primary, standby)
	for _, r := range []*running{a, b, a} {
		if status := r.ready(); status != http.StatusOK {
			t.Errorf("ready is %d", status)
		}
		if got := r.property(); got != "first" {
			t.Errorf("the property is %q", got)
		}
	}
	if status, _, kind := b.commit("second"); status != http.StatusOK || a.property() != "second" {
		t.Errorf("afterwards: %d %s, the property is %q", status, kind, a.property())
	}
	a.stopped()
	b.stopped()
	if out := report(t, dir+"/puddle1.yaml", codeDone, "verify", "--level", "4"); !strings.Contains(out, "clean") {
		t.Errorf("verify: %s", out)
	}
}

// A failover to a standby that lacks what was acknowledged last: replicas that have seen it
// serve nothing of it, and those that have not seen it append nothing beside it.
func TestFailoverThatLosesTheTail(t *testing.T) {
	primary, dir := postgrestest.New(t, "fsync=on"), t.TempDir()
	database := primary.Open(t)
	standby := primary.Follower(t, "one")
	all := hosts(t, database, primary, standby)
	a := withTable(t, dir, all)
	if status, _, kind := a.commit("kept"); status != http.StatusOK {
		t.Fatalf("commit: %d %s", status, kind)
	}
	standby.Caught(t, primary)
	b := started(t, replica(t, dir, all, 2, ""))
	standby.Forsake(t)
	if status, _, kind := a.commit("lost"); status != http.StatusOK {
		t.Fatalf("commit: %d %s", status, kind)
	}
	a.anchored(5)
	failover(t, primary, standby)
	for name, r := range map[string]*running{"who has seen it": a, "who has not": b} {
		if status, retry, kind := r.commit("forked"); status != http.StatusTooManyRequests || retry == "" {
			t.Errorf("%s: a commit: %d %s, Retry-After %q", name, status, kind, retry)
		}
		if status, body := r.read(oneTable); status != http.StatusServiceUnavailable {
			t.Errorf("%s: a load: %d %s", name, status, body)
		}
		if status, body := r.read("/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(body, "does not hold what it acknowledged") {
			t.Errorf("%s: readyz: %d %s", name, status, body)
		}
	}
	a.stopped()
	b.stopped()
}

// anchored waits until the warehouse names a seq, or a later one.
func (r *running) anchored(seq journal.Seq) {
	r.t.Helper()
	for {
		head, _, err := anchor.ReadHead(r.t.Context(), r.node.warehouses[0].roots[0].Store)
		if err != nil {
			r.t.Fatal(err)
		}
		if head.Seq >= seq {
			return
		}
	}
}
