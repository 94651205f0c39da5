package postgres_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"

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
	t.Parallel()
	const restarts, writers, between = 4, 4, 25
	server := postgrestest.New(t)
	url := server.Open(t)
	replicas := []*postgres.DB{open(t, url), open(t, url)}
	warehouses := make([]uuid.UUID, writers) // of which two writers have each
	for i := range warehouses {
		warehouses[i] = uuid.New()
		journaltest.Append(t, replicas[0], births(t, warehouses[i]))
	}
	all := make(chan outcome, between)
	done := make(chan struct{})
	var wait sync.WaitGroup
	for _, db := range replicas {
		for _, warehouse := range warehouses {
			wait.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					if o, begun := appendOne(db, warehouse); begun {
						all <- o
					}
				}
			})
		}
	}
	var outcomes []outcome
	grow := func() {
		for n := 0; n < between; {
			o := <-all
			if outcomes = append(outcomes, o); o.err == nil {
				n++
			}
		}
	}
	for range restarts {
		grow()
		server.Stop()
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
	}
	grow()
	close(done)
	go func() { wait.Wait(); close(all) }()
	for o := range all {
		outcomes = append(outcomes, o)
	}
	wantOutcomes(t, replicas[0], warehouses, outcomes)
}

// appendOne appends an event when its turn has come. It was begun when there is an entry.
func appendOne(db *postgres.DB, warehouse uuid.UUID) (o outcome, begun bool) {
	ctx := context.Background()
	tx, err := db.Begin(ctx, warehouse)
	if err != nil {
		return o, false
	}
	defer tx.Rollback(ctx)
	if o.entry, _, o.err = tx.Heads()[warehouse].Next(draft(warehouse), tx.Now()); o.err != nil {
		return o, true
	}
	if o.err = tx.Append(ctx, o.entry); o.err == nil {
		o.err = tx.Commit(ctx)
	}
	return o, true
}

func wantOutcomes(t *testing.T, j journal.Journal, warehouses []uuid.UUID, outcomes []outcome) {
	t.Helper()
	there := map[uuid.UUID]int{}
	for _, id := range warehouses {
		for _, e := range journaltest.Events(t, j.Warehouse(id), 1) {
			there[e.ID]++
		}
	}
	acknowledged := 0
	for _, o := range outcomes {
		want := 0
		switch {
		case errors.Is(o.err, journal.ErrUnknownOutcome):
			t.Errorf("nobody found out: %v", o.err)
			continue
		case o.err == nil:
			acknowledged++
			want = 1
		}
		if got := there[o.entry.Event.ID]; got != want {
			t.Errorf("event %s is there %d times: %v", o.entry.Event.Position, got, o.err)
		}
	}
	if len(there) != acknowledged {
		t.Errorf("%d were acknowledged, %d events are there", acknowledged, len(there))
	}
	t.Logf("%d acknowledged, %d refused", acknowledged, len(outcomes)-acknowledged)
}

// TestAPausedReplica: who holds a head and does nothing loses it, and is refused
// when it goes on.
func TestAPausedReplica(t *testing.T) {
	t.Parallel()
	url := postgrestest.Open(t)
	paused, other := open(t, url+"&idle_in_transaction_session_timeout=500ms"), open(t, url)
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
