package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections/anchor"
	"puddle/projections/archive"
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

// counting commits one number after the other until it is told to stop, and one more was
// acknowledged after that. made are those that were; each of perhaps may have been.
func (r *running) counting(stop chan struct{}) (made, perhaps int) {
	for told, last := false, 0; !told || last != http.StatusOK; {
		select {
		case <-stop:
			told = true
		default:
		}
		switch last, _, _ = r.commit(fmt.Sprint(made + perhaps)); last {
		case http.StatusOK:
			made++
		case http.StatusTooManyRequests: // surely not made
		default:
			perhaps++
		}
	}
	return made, perhaps
}

// With a synchronous standby a failover loses nothing that was acknowledged, and replicas go
// on by themselves where it is, amid their commits. While it is a standby, none serves from it.
func TestFailoverToASynchronousStandby(t *testing.T) {
	primary, dir := postgrestest.New(t, "fsync=on"), t.TempDir()
	database := primary.Open(t)
	standby := primary.Follower(t, "one")
	synchronous(t, primary, "one")
	all := hosts(t, database, primary, standby)
	a := withTable(t, dir, all)
	b := started(t, replica(t, dir, all, 2, ""))
	direct := strings.Replace(hosts(t, database, standby), "read-write", "any", 1)
	if _, err := startServer(t.Context(), replica(t, dir, direct, 3, ""), zerolog.Nop()); exitCode(err) != codeRefused || !strings.Contains(err.Error(), "must lead to the primary") {
		t.Errorf("a standby is served: exit code %d, %v", exitCode(err), err)
	}
	if out := report(t, dir+"/puddle3.yaml", codeDone, "log", "--limit", "1"); !strings.Contains(out, "table-created") {
		t.Errorf("the log of a standby: %s", out)
	}
	var writer sync.WaitGroup
	stop, made, perhaps := make(chan struct{}), 0, 0
	writer.Go(func() { made, perhaps = a.counting(stop) })
	b.anchored(4)
	failover(t, primary, standby)
	close(stop)
	writer.Wait()
	events := journaltest.Events(t, b.node.journal.Warehouse(b.node.warehouses[0].id), 0)
	if commits := len(events) - 3; commits < made || commits > made+perhaps {
		t.Errorf("%d commits are there; %d were acknowledged, %d perhaps made", commits, made, perhaps)
	}
	for name, r := range map[string]*running{"who has written": a, "who has not": b} {
		if got, want, status := r.property(), fmt.Sprint(made+perhaps-1), r.ready(); got != want || status != http.StatusOK {
			t.Errorf("%s: the property is %q, want %q; ready is %d", name, got, want, status)
		}
		r.stopped()
	}
	if out := report(t, dir+"/puddle1.yaml", codeDone, "verify"); !strings.Contains(out, "clean") {
		t.Errorf("verify: %s", out)
	}
}

// lacks checks that a replica serves nothing of a database that lacks something, and
// appends nothing to it.
func (r *running) lacks(who string) {
	r.t.Helper()
	if status, retry, kind := r.commit("forked"); status != http.StatusTooManyRequests || retry == "" {
		r.t.Errorf("%s: a commit: %d %s, Retry-After %q", who, status, kind, retry)
	}
	if status, body := r.read(oneTable); status != http.StatusServiceUnavailable {
		r.t.Errorf("%s: a load: %d %s", who, status, body)
	}
	if status, body := r.read("/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(body, "does not hold what it acknowledged") {
		r.t.Errorf("%s: readyz: %d %s", who, status, body)
	}
}

// committed commits what has to be acknowledged.
func (r *running) committed(value string) {
	r.t.Helper()
	if status, _, kind := r.commit(value); status != http.StatusOK {
		r.t.Fatalf("commit: %d %s", status, kind)
	}
}

// has checks that a replica takes changes, of a table with a property.
func (r *running) has(who, value string) {
	r.t.Helper()
	if status := r.ready(); status != http.StatusOK {
		r.t.Errorf("%s: ready is %d", who, status)
	}
	if got := r.property(); got != value {
		r.t.Errorf("%s: the property is %q, want %q", who, got, value)
	}
}

// A failover to a standby that lacks what was acknowledged last: replicas that have seen it
// serve nothing of it, and those that have not seen it append nothing beside it. When the old
// server comes back so do they; where it is lost, the archive has what the standby lacks.
func TestFailoverThatLosesTheTail(t *testing.T) {
	primary, dir := postgrestest.New(t, "fsync=on"), t.TempDir()
	database := primary.Open(t)
	standby := primary.Follower(t, "one")
	all := hosts(t, database, primary, standby)
	a := withTable(t, dir, all)
	a.committed("kept")
	standby.Caught(t, primary)
	b := started(t, replica(t, dir, all, 2, ""))
	standby.Forsake(t)
	a.committed("lost")
	a.anchored(5)
	failover(t, primary, standby)
	a.lacks("who has seen it")
	b.lacks("who has not seen it")
	if os.Getenv("PUDDLE_TEST_REQUIRE") != "all" {
		a.stopped()
		b.stopped()
		return
	}

	standby.Stop()
	if err := primary.Start(); err != nil {
		t.Fatal(err)
	}
	a.has("who has seen it", "lost")
	b.has("who has not seen it", "lost")
	b.committed("lost, too")
	a.anchored(6)
	primary.Stop()
	if err := standby.Start(); err != nil {
		t.Fatal(err)
	}
	a.lacks("the other one")
	a.stopped()
	b.stopped()

	c, file := replica(t, dir, all, 2, ""), dir+"/puddle2.yaml"
	b = started(t, c)
	if got, status := b.property(), b.ready(); got != "kept" || status != http.StatusServiceUnavailable {
		t.Errorf("started anew: the property is %q, ready is %d", got, status)
	}
	if status, body := b.read("/api/puddle/v1/status"); !strings.Contains(body, "recover --warehouse default --from archive") {
		t.Errorf("status: %d %s", status, body)
	}
	b.stopped()
	report(t, file, codeDone, "recover", "--from", "archive")
	b = started(t, c)
	b.has("recovered", "lost, too")
	b.committed("more")
	b.stopped()
	report(t, file, codeDone, "verify", "--level", "4")
}

// Two servers take changes: the old one was given up and lives, for replicas that still reach
// it. Who finds in the warehouse what its database does not hold takes no more, whichever of
// the two it has.
func TestTwoPrimaries(t *testing.T) {
	primary, dir := postgrestest.New(t, "fsync=on"), t.TempDir()
	database := primary.Open(t)
	standby := primary.Follower(t, "one")
	a := withTable(t, dir, database)
	a.committed("kept")
	a.anchored(4)
	standby.Caught(t, primary)
	standby.Forsake(t)
	standby.Promote(t)
	c, file := replica(t, dir, hosts(t, database, standby), 2, ""), dir+"/puddle2.yaml"
	b := started(t, c)
	b.committed("of the new one")
	a.committed("of the old one")
	a.anchored(5)
	if w := b.node.warehouses[0]; !b.node.meets(w, b.node.look(t.Context(), w)) {
		t.Error("the history of the old one is not met")
	}
	b.refusesBeside(file)
	if os.Getenv("PUDDLE_TEST_REQUIRE") != "all" {
		a.stopped()
		b.stopped()
		return
	}
	a.committed("of the old one, too")
	a.stopped()
	b.stopped()

	if out := report(t, dir+"/puddle1.yaml", codeDone, "log", "--since", "seq:4"); strings.Count(out, "tables-committed") != 2 {
		t.Errorf("what the old one acknowledged: %s", out)
	}
	_, err := startServer(t.Context(), c, zerolog.Nop())
	if exitCode(err) != codeRefused || !strings.Contains(err.Error(), "a second writer has archived another history") || !strings.Contains(next(err), "--at seq:5") {
		t.Errorf("exit code %d, %v; next: %s", exitCode(err), err, next(err))
	}
	report(t, file, codeDone, "recover", "--at", "seq:5")
	b = started(t, c)
	b.has("the new one", "of the new one")
	b.stopped()
	report(t, file, codeDone, "verify", "--level", "4")
}

// A look finds that the database lacks what the warehouse saw, also when no session ended.
func TestLookFindsThatTheDatabaseWentBack(t *testing.T) {
	r := withTable(t, t.TempDir(), postgrestest.Open(t))
	r.anchored(3)
	w := r.node.warehouses[0]
	saw, _, err := anchor.ReadHead(t.Context(), w.roots[0].Store)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.node.look(t.Context(), w); err != nil {
		t.Errorf("a look at what is there: %v", err)
	}
	saw.Seq++
	saw.Hash[0]++
	if err := anchor.Raise(t.Context(), w.roots[0].Store, saw); err != nil {
		t.Fatal(err)
	}
	r.looked()
	r.lacks("who looks")
	if all := r.node.troubles.all(); len(all) != 0 {
		t.Errorf("told beside it: %+v", all)
	}
	r.stopped()
}

// anchored waits until anchor and archive have a seq, or a later one.
func (r *running) anchored(seq journal.Seq) {
	r.t.Helper()
	own := r.node.warehouses[0].roots[0].Store
	for {
		head, _, err := anchor.ReadHead(r.t.Context(), own)
		if err != nil {
			r.t.Fatal(err)
		}
		end, _, err := archive.Head(r.t.Context(), own)
		if err != nil {
			r.t.Fatal(err)
		}
		if min(head.Seq, end.Seq) >= seq {
			return
		}
	}
}
