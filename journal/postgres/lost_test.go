package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// TestCase156_LostReplies: whenever the connection breaks at a commit, the journal
// finds out what became of it, of births too.
func TestCase156_LostReplies(t *testing.T) {
	server := postgrestest.Shared(t)
	p, url := through(t, server, server.Open(t))
	db := openWith(t, postgres.Options{URL: url, Unsafe: true, MaxConnections: 1})
	for _, f := range []struct {
		fault
		done bool
	}{{dropBefore, false}, {dropAtOnce, true}, {dropAfter, true}, {none, true}} {
		t.Run(fmt.Sprint(f.fault), func(t *testing.T) {
			warehouse := uuid.New()
			birth := births(t, warehouse)[0]
			next := form(t, journal.ChainAt(birth.Event), draft(warehouse), journal.At(birth.Event.At))
			for _, e := range []journal.Entry{birth, next} {
				p.set(f.fault, nil)
				err := db.Append(context.Background(), e)
				if (err == nil) != f.done {
					t.Errorf("event %s: %v", e.Event.Position, err)
				}
				wantTruth(t, db, e, err)
			}
			p.set(f.fault, nil)
			answer := journal.Answer{Status: 409, Request: journal.Request{
				Actor: journal.Anonymous, Key: uuid.NewString(), Route: "POST /", Until: journaltest.Start.Add(time.Hour),
			}}
			err := db.Remember(context.Background(), warehouse, journaltest.Start, answer)
			_, bound, readErr := db.Warehouse(warehouse).Answered(context.Background(), answer.Actor, answer.Key, journaltest.Start)
			if readErr != nil || bound != f.done || (err == nil) != f.done {
				t.Errorf("remember: %v; it is bound: %v, %v", err, bound, readErr)
			}
		})
	}
}

// TestCase156_NobodyToAsk: as long as the database cannot be reached the outcome is
// unknown, and the journal goes on when it can.
func TestCase156_NobodyToAsk(t *testing.T) {
	t.Parallel()
	server := postgrestest.Shared(t)
	p, url := through(t, server, server.Open(t))
	db := openWith(t, postgres.Within(postgres.Options{URL: url, Unsafe: true}, time.Second))
	journaltest.Append(t, db, births(t, lake))
	e := after(t, db, draft(lake))
	p.set(dropAtOnce, func() { p.Admit(false) })
	wantError(t, "with nobody to ask", db.Append(context.Background(), e), journal.ErrUnknownOutcome)
	p.Admit(true)
	wantError(t, "again", db.Append(context.Background(), e), journal.ErrNotNext)
	if n := times(t, db, e); n != 1 {
		t.Errorf("the event is there %d times", n)
	}
	journaltest.Append(t, db, []journal.Entry{after(t, db, draft(lake))})
}

// TestALostTransactionIsOver: a commit that nobody hears of any more, and that is
// still under way, is waited for.
func TestALostTransactionIsOver(t *testing.T) {
	t.Parallel()
	server, direct := waiting(t)
	p, url := through(t, server, direct)
	e := after(t, open(t, direct+"&synchronous_commit=local"), draft(lake))
	db := open(t, url)
	p.set(dropAtOnce, nil)
	result := make(chan error)
	go func() { result <- db.Append(context.Background(), e) }()
	awaitBackend(t, direct, `wait_event = 'SyncRep'`)
	awaitBackend(t, direct, `wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE%'`) // the one that asks
	standbys(t, server, "")
	err := <-result
	if err != nil {
		t.Errorf("a commit that came through: %v", err)
	}
	wantTruth(t, db, e, err)
}

// TestCase156_KilledAtCommit: a backend that is ended before it commits has done nothing; one that
// is ended after it, and before it answers, has.
func TestCase156_KilledAtCommit(t *testing.T) {
	t.Parallel()
	t.Run("before", func(t *testing.T) {
		server := postgrestest.Shared(t)
		direct := server.Open(t)
		p, url := through(t, server, direct)
		db := open(t, url)
		journaltest.Append(t, db, births(t, lake))
		e := after(t, db, draft(lake))
		p.set(none, func() { terminate(t, direct, awaitBackend(t, direct, `state = 'idle in transaction'`)) })
		err := db.Append(context.Background(), e)
		if err == nil {
			t.Error("a backend that was ended has committed")
		}
		wantTruth(t, db, e, err)
	})
	t.Run("after", func(t *testing.T) {
		server, direct := waiting(t)
		e := after(t, open(t, direct+"&synchronous_commit=local"), draft(lake))
		db := open(t, direct)
		result := make(chan error)
		go func() { result <- db.Append(context.Background(), e) }()
		terminate(t, direct, awaitBackend(t, direct, `wait_event = 'SyncRep'`))
		standbys(t, server, "")
		err := <-result
		if err != nil {
			t.Errorf("a commit that came through: %v", err)
		}
		wantTruth(t, db, e, err)
	})
}

// waiting is a server whose commits wait for a standby that never comes, unless they
// are local, and a database in it with a warehouse.
func waiting(t *testing.T) (server *postgrestest.Cluster, url string) {
	t.Helper()
	server = postgrestest.New(t)
	url = server.Open(t)
	journaltest.Append(t, open(t, url), births(t, lake))
	server.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
	server.Stop()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	return server, url
}

// standbys says which standbys a server waits for.
func standbys(t *testing.T, server *postgrestest.Cluster, names string) {
	t.Helper()
	server.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = '"+names+"'")
	server.Exec(t, "SELECT pg_reload_conf()")
}

func terminate(t testing.TB, url string, pid int) {
	t.Helper()
	if !ask[bool](t, url, `SELECT pg_terminate_backend($1)`, pid) {
		t.Errorf("there is no process %d", pid)
	}
}

// end is terminate that waits until the process is gone.
func end(t testing.TB, url string, pid int) {
	t.Helper()
	if !ask[bool](t, url, `SELECT pg_terminate_backend($1, 10000)`, pid) {
		t.Errorf("process %d does not end", pid)
	}
}

// awaitBackend asks until there is a session of the kind, and answers its process.
func awaitBackend(t testing.TB, url, where string) (pid int) {
	t.Helper()
	conn := connect(t, url)
	for pid == 0 {
		err := conn.QueryRow(context.Background(), `SELECT coalesce(max(pid), 0) FROM pg_stat_activity
			WHERE pid <> pg_backend_pid() AND datname = current_database() AND `+where).Scan(&pid)
		if err != nil {
			t.Fatal(err)
		}
	}
	return pid
}

// TestSwallowed: a network that takes everything and says nothing does not keep a turn
// for good, and the journal goes on when it ends.
func TestSwallowed(t *testing.T) {
	server := postgrestest.Shared(t)
	p, url := through(t, server, server.Open(t))
	db := openWith(t, postgres.Options{URL: url, Unsafe: true})
	journaltest.Append(t, db, births(t, lake))
	e := after(t, db, draft(lake))
	postgres.SetTrip(db, 100*time.Millisecond)
	p.Hold()
	if err := db.Append(context.Background(), e); !errors.Is(err, postgres.ErrAway) || errors.Is(err, journal.ErrUnknownOutcome) {
		t.Errorf("got %v", err)
	}
	p.Release()
	postgres.SetTrip(db, postgres.TripLimit)
	if err := db.Append(context.Background(), e); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
