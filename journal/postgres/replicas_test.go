package postgres_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// TestReplicasInterleave: two replicas append to one warehouse, each what follows the
// head that it has seen. Who was not the next is told so and has written nothing;
// everybody comes through, and a reader beside them never sees a gap.
func TestReplicasInterleave(t *testing.T) {
	t.Parallel()
	url := postgrestest.Open(t)
	replicas := []*postgres.DB{open(t, url), open(t, url)}
	journaltest.Append(t, replicas[0], births(t, lake))
	const writers, each = 3, 10
	done := make(chan struct{})
	var reader, wait sync.WaitGroup
	reader.Go(func() { follow(t, open(t, url), done) })
	var mu sync.Mutex
	accepted := map[journal.Position]bool{}
	losses := 0
	for _, db := range replicas {
		for range writers {
			wait.Go(func() {
				for range each {
					d := draft(lake)
					for tried := 0; ; tried++ {
						e := after(t, db, d)
						err := db.Append(context.Background(), e)
						mu.Lock()
						if err == nil {
							accepted[e.Event.Position] = true
							mu.Unlock()
							break
						}
						losses++
						mu.Unlock()
						if !errors.Is(err, journal.ErrNotNext) {
							t.Errorf("append: %v", err)
							return
						}
					}
				}
			})
		}
	}
	wait.Wait()
	close(done)
	reader.Wait()
	events := journaltest.Events(t, replicas[1].Warehouse(lake), 1)
	if len(events) != len(replicas)*writers*each || len(accepted) != len(events) {
		t.Errorf("%d were accepted, %d events are there", len(accepted), len(events))
	}
	for _, e := range events {
		if !accepted[e.Position] {
			t.Errorf("event %s is there, and was refused", e.Position)
		}
	}
	if losses == 0 {
		t.Log("nobody was ever too late")
	}
}

// follow reads what comes, and checks that it is always the next.
func follow(t *testing.T, j journal.Journal, done <-chan struct{}) {
	chain := journal.NewChain(lake, journaltest.Incarnation(lake), 0)
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		default:
		}
		for e, err := range j.Warehouse(lake).Scan(context.Background(), chain.Head.Seq) {
			if err == nil {
				chain, err = chain.Follow(e)
			}
			if err != nil {
				t.Errorf("beside appends: %v", err)
				return
			}
		}
	}
}

// TestHeldHeads: who holds the head is the next, however many wait for it.
func TestHeldHeads(t *testing.T) {
	t.Parallel()
	url := postgrestest.Open(t)
	replicas := []*postgres.DB{open(t, url), open(t, url), open(t, url)}
	journaltest.Append(t, replicas[0], append(births(t, lake), births(t, pond)...))
	const each = 20
	var wait sync.WaitGroup
	for i, db := range replicas {
		wait.Go(func() {
			for range each {
				// In either order: all lock in the same.
				both := [][]journal.Entry{births(t, lake), births(t, pond)}
				first, second := both[i%2][0].Event.Warehouse, both[1-i%2][0].Event.Warehouse
				tx, err := db.Begin(context.Background(), first, second)
				if err != nil {
					t.Error(err)
					return
				}
				a := form(t, tx.Heads()[first], draft(first), tx.Now())
				b := form(t, tx.Heads()[second], draft(second), tx.Now())
				err = errors.Join(tx.Append(context.Background(), a), tx.Append(context.Background(), b), tx.Commit(context.Background()))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	for _, e := range [][]journal.Entry{births(t, lake), births(t, pond)} {
		if n := len(journaltest.Events(t, replicas[0].Warehouse(e[0].Event.Warehouse), 1)); n != each*len(replicas) {
			t.Errorf("%d events are there", n)
		}
	}
}

// TestTwoBirths: of several births at once one is the first.
func TestTwoBirths(t *testing.T) {
	url := postgrestest.Open(t)
	replicas := []*postgres.DB{open(t, url), open(t, url), open(t, url)}
	errs := make([]error, len(replicas))
	var wait sync.WaitGroup
	for i, db := range replicas {
		wait.Go(func() { errs[i] = db.Append(context.Background(), births(t, lake)...) })
	}
	wait.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		wantError(t, "a second birth", err, journal.ErrNotNext)
	}
	if n := len(journaltest.Events(t, replicas[0].Warehouse(lake), 0)); won != 1 || n != 1 {
		t.Errorf("%d births were accepted, %d are there", won, n)
	}
}

// TestTransaction: what is written through Conn is there with the events or not at
// all, and a transaction that has failed is not committed.
func TestTransaction(t *testing.T) {
	url := postgrestest.Open(t)
	db := open(t, url)
	journaltest.Append(t, db, births(t, lake))
	exec(t, url, "CREATE TABLE ducks (name text)")
	ctx := t.Context()
	run := func(spoil bool, end func(*postgres.Tx) error) error {
		tx, err := db.Begin(ctx, lake)
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback(ctx)
		if _, err := tx.Conn().Exec(ctx, "INSERT INTO ducks VALUES ('dora')"); err != nil {
			t.Fatal(err)
		}
		e := form(t, tx.Heads()[lake], draft(lake), tx.Now())
		if err := tx.Append(ctx, e); err != nil {
			t.Fatal(err)
		}
		if spoil {
			wantError(t, "again", tx.Append(ctx, e), journal.ErrNotNext)
		}
		return end(tx)
	}
	wantRows := func(what string, want int) {
		t.Helper()
		if n, events := ask[int](t, url, "SELECT count(*) FROM ducks"), len(journaltest.Events(t, db.Warehouse(lake), 1)); n != want || events != want {
			t.Errorf("%s: %d rows and %d events, want %d", what, n, events, want)
		}
	}
	commit := func(tx *postgres.Tx) error { return tx.Commit(ctx) }
	if err := run(false, commit); err != nil {
		t.Fatal(err)
	}
	wantRows("committed", 1)
	wantError(t, "a failed transaction", run(true, commit), journal.ErrNotNext)
	wantRows("failed", 1)
	if err := run(false, func(tx *postgres.Tx) error { tx.Rollback(ctx); return nil }); err != nil {
		t.Fatal(err)
	}
	wantRows("rolled back", 1)

	tx, err := db.Begin(ctx, pond)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(ctx)
	if err := tx.Append(ctx, after(t, db, draft(lake))); err == nil {
		t.Error("a head that is not held was moved")
	}
}
