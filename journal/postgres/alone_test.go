package postgres_test

import (
	"errors"
	"strings"
	"testing"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/postgres"
)

// TestAlone: servers run together, who must be alone does not run with them, and each is
// told of the other.
func TestAlone(t *testing.T) {
	url := postgrestest.Open(t)
	replicas := []*postgres.DB{open(t, url), open(t, url)}
	recovers := open(t, url)
	var leaves []func()
	for _, db := range replicas {
		leave, err := db.Join(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		leaves = append(leaves, leave)
	}
	_, err := recovers.Alone(t.Context())
	wantLocked(t, err, "2 servers run")
	leaves[0]()
	leaves[0]()
	_, err = recovers.Alone(t.Context())
	wantLocked(t, err, "1 server runs")
	leaves[1]()
	leave, err := recovers.Alone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = replicas[0].Join(t.Context())
	wantLocked(t, err, "must be alone")
	_, err = replicas[0].Alone(t.Context())
	wantLocked(t, err, "must be alone")
	leave()
	leave()
	if leave, err = replicas[0].Join(t.Context()); err != nil {
		t.Fatal(err)
	}
	leave()
	other := openWith(t, postgres.Options{URL: url, Schema: "other", Unsafe: true})
	if leave, err = other.Alone(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer leave()
	if leave, err = recovers.Alone(t.Context()); err != nil {
		t.Errorf("beside another schema: %v", err)
	} else {
		leave()
	}
}

func wantLocked(t *testing.T, err error, by string) {
	t.Helper()
	if !errors.Is(err, journal.ErrLocked) || !strings.Contains(err.Error(), by) {
		t.Errorf("%v, want %q", err, by)
	}
}

// TestJoinAgain: a server whose session is lost joins again, and waits for who is alone.
func TestJoinAgain(t *testing.T) {
	t.Parallel()
	url := postgrestest.Open(t)
	p, between := through(t, postgrestest.Shared(t), url)
	db, other, watcher := open(t, between), open(t, url), connect(t, url)
	joined := func(where string) (process int) {
		t.Helper()
		err := watcher.QueryRow(t.Context(), `SELECT coalesce(max(pid), 0) FROM pg_locks WHERE locktype = 'advisory'
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND `+where).Scan(&process)
		if err != nil {
			t.Fatal(err)
		}
		return process
	}
	leave, err := db.Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	first := joined("granted")
	end(t, url, first)
	again := first
	for again == first || again == 0 {
		again = joined("granted")
	}
	_, err = other.Alone(t.Context())
	wantLocked(t, err, "1 server runs")

	p.end() // the server does not come back before somebody is alone
	for joined("granted") != 0 {
	}
	leaveAlone, err := other.Alone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.Admit(true)
	for joined("NOT granted") == 0 {
	}
	leaveAlone()
	for joined("granted") == 0 {
	}
	_, err = other.Alone(t.Context())
	wantLocked(t, err, "1 server runs")
}

// TestLeaveIsAtOnce: who has left has given its lock back, and not only said good-bye.
func TestLeaveIsAtOnce(t *testing.T) {
	url := postgrestest.Open(t)
	db := open(t, url)
	conn := connect(t, url)
	for range 20 {
		leave, err := db.Join(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		leave()
		var held int
		if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&held); err != nil {
			t.Fatal(err)
		}
		if held != 0 {
			t.Fatalf("%d locks are left", held)
		}
	}
}
