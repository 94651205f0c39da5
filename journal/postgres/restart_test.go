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

// outcome is what an append answered.
type outcome struct {
	entry journal.Entry
	err   error
}

// TestRestarts: the server crashes and comes back amid the appends of two replicas:
// what was acknowledged is there once, what was refused is not, and they go on by
// themselves.
func TestRestarts(t *testing.T) {
	const restarts, writers = 3, 2
	server := postgrestest.New(t)
	url := server.Open(t)
	replicas := []*postgres.DB{open(t, url), open(t, url)}
	journaltest.Append(t, replicas[0], births(t, lake))
	var mu sync.Mutex
	var outcomes []outcome
	grown := make(chan struct{}, 1)
	done := make(chan struct{})
	var wait sync.WaitGroup
	for _, db := range replicas {
		for range writers {
			wait.Go(func() {
				for {
					o, begun := appendOne(db)
					mu.Lock()
					if begun {
						outcomes = append(outcomes, o)
					}
					mu.Unlock()
					select {
					case <-done:
						return
					default:
					}
					if begun && o.err == nil {
						select {
						case grown <- struct{}{}:
						default:
						}
					}
				}
			})
		}
	}
	for range restarts {
		for range 2 {
			<-grown
		}
		server.Stop()
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
	}
	<-grown
	<-grown
	close(done)
	wait.Wait()
	wantOutcomes(t, replicas[0], outcomes)
}

// appendOne appends an event when its turn has come. It was begun when there is an entry.
func appendOne(db *postgres.DB) (o outcome, begun bool) {
	ctx := context.Background()
	tx, err := db.Begin(ctx, lake)
	if err != nil {
		return o, false
	}
	defer tx.Rollback(ctx)
	if o.entry, _, o.err = tx.Heads()[lake].Next(draft(lake), tx.Now()); o.err != nil {
		return o, true
	}
	if o.err = tx.Append(ctx, o.entry); o.err == nil {
		o.err = tx.Commit(ctx)
	}
	return o, true
}

func wantOutcomes(t *testing.T, j journal.Journal, outcomes []outcome) {
	t.Helper()
	there := map[journal.Position]int{}
	for _, e := range journaltest.Events(t, j.Warehouse(lake), 1) {
		there[e.Position]++
	}
	acknowledged, refused := 0, 0
	for _, o := range outcomes {
		want := 0
		switch {
		case errors.Is(o.err, journal.ErrUnknownOutcome):
			t.Errorf("nobody found out: %v", o.err)
			continue
		case o.err == nil:
			acknowledged++
			want = 1
		default:
			refused++
		}
		if got := there[o.entry.Event.Position]; got != want {
			t.Errorf("event %s is there %d times: %v", o.entry.Event.Position, got, o.err)
		}
	}
	if len(there) != acknowledged {
		t.Errorf("%d were acknowledged, %d events are there", acknowledged, len(there))
	}
	t.Logf("%d acknowledged, %d refused", acknowledged, refused)
}

// TestAPausedReplica: who holds a head and does nothing loses it, and is refused
// when it goes on.
func TestAPausedReplica(t *testing.T) {
	url := postgrestest.Open(t)
	paused, other := open(t, url+"&idle_in_transaction_session_timeout=200ms"), open(t, url)
	journaltest.Append(t, other, births(t, lake))
	ctx := t.Context()
	tx, err := paused.Begin(ctx, lake)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(ctx)
	late := form(t, tx.Heads()[lake], draft(lake), tx.Now())
	appended, err := paused.Begin(ctx, pond)
	if err != nil {
		t.Fatal(err)
	}
	defer appended.Rollback(ctx)
	birth := births(t, pond)[0]
	if err := appended.Append(ctx, birth); err != nil {
		t.Fatal(err)
	}

	journaltest.Append(t, other, []journal.Entry{after(t, other, draft(lake))}) // waits for the server to end it
	journaltest.Append(t, other, births(t, pond))
	if err := errors.Join(tx.Append(ctx, late), tx.Commit(ctx)); err == nil {
		t.Error("the paused replica wrote over the head of the other")
	}
	if n := times(t, other, late); n != 0 {
		t.Error("an event is there that was refused")
	}
	// The birth of the other is the same event: it is there, whoever made it.
	if err := appended.Commit(ctx); err != nil || times(t, other, birth) != 1 {
		t.Errorf("the birth that both made: %v", err)
	}
}

// TestAHeldHead: who waits too long for a head is refused, and has written nothing.
func TestAHeldHead(t *testing.T) {
	url := postgrestest.Open(t)
	holder, waiter := open(t, url), open(t, url+"&lock_timeout=50ms")
	journaltest.Append(t, holder, births(t, lake))
	e := after(t, holder, draft(lake))
	tx, err := holder.Begin(t.Context(), lake)
	if err != nil {
		t.Fatal(err)
	}
	err = waiter.Append(t.Context(), e)
	if err == nil {
		t.Error("two hold a head")
	}
	tx.Rollback(t.Context())
	wantTruth(t, waiter, e, err)
}
