package postgres_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// saved copies the rows of a database, to be brought back as a restore would.
var saved = []string{
	"CREATE TABLE saved_heads AS TABLE heads", "CREATE TABLE saved_events AS TABLE events",
	"CREATE TABLE saved_incarnations AS TABLE incarnations",
}

var restored = []string{
	"DELETE FROM heads", "DELETE FROM events", "DELETE FROM incarnations", "DELETE FROM documents", "DELETE FROM requests",
	"INSERT INTO heads TABLE saved_heads", "INSERT INTO events TABLE saved_events", "INSERT INTO incarnations TABLE saved_incarnations",
}

// wantWentBack asks a process in every way about a warehouse.
func wantWentBack(t *testing.T, db *postgres.DB, warehouse uuid.UUID, want error) {
	t.Helper()
	r := db.Warehouse(warehouse)
	_, err := r.Head(t.Context())
	wantError(t, "head", err, want)
	_, err = db.Incarnations(t.Context(), warehouse)
	wantError(t, "incarnations", err, want)
	for _, err = range r.Scan(t.Context(), 0) {
		if err != nil {
			break
		}
	}
	wantError(t, "scan", err, want)
	tx, err := db.Begin(t.Context(), warehouse)
	wantError(t, "begin", err, want)
	if err == nil {
		tx.Rollback(t.Context())
	}
}

// TestRestored: who has seen what a restored database does not hold says so, of this
// warehouse alone and as long as it is so.
func TestRestored(t *testing.T) {
	url := postgrestest.Open(t)
	wrote, read, late := open(t, url), open(t, url), open(t, url)
	journaltest.Append(t, wrote, append(births(t, lake), births(t, pond)...))
	exec(t, url, saved...)
	e := after(t, wrote, draft(lake))
	journaltest.Append(t, wrote, []journal.Entry{e})
	if at, err := read.Warehouse(lake).Head(t.Context()); err != nil || at != e.Event.Position || read.Floor(lake) != at {
		t.Fatalf("the head is %s, the floor %s: %v", at, read.Floor(lake), err)
	}
	exec(t, url, restored...)
	for _, db := range []*postgres.DB{wrote, read} {
		wantWentBack(t, db, lake, postgres.ErrWentBack)
		wantWentBack(t, db, pond, nil)
	}
	wantWentBack(t, late, lake, nil)
	wantError(t, "append", wrote.Append(t.Context(), after(t, late, draft(lake))), postgres.ErrWentBack)
	exec(t, url, "DELETE FROM heads", "DELETE FROM incarnations", "DELETE FROM events")
	wantWentBack(t, read, lake, postgres.ErrWentBack)
	exec(t, url, restored...)
	if err := late.Append(t.Context(), e); err != nil { // the same event: it is as if the tail had come back
		t.Fatal(err)
	}
	for _, db := range []*postgres.DB{wrote, read} {
		wantWentBack(t, db, lake, nil)
	}
}

// TestRestoredAndGoneOn: another history that has gone on is not taken for the one
// that was seen, however far it is.
func TestRestoredAndGoneOn(t *testing.T) {
	url := postgrestest.Open(t)
	db, other := open(t, url), open(t, url)
	journaltest.Append(t, db, births(t, lake))
	exec(t, url, saved...)
	journaltest.Append(t, db, []journal.Entry{after(t, db, draft(lake))})
	exec(t, url, restored...)
	fresh := open(t, url)
	for range 3 {
		journaltest.Append(t, fresh, []journal.Entry{after(t, fresh, draft(lake))})
	}
	_, err := db.Begin(t.Context(), lake)
	wantError(t, "a turn", err, postgres.ErrWentBack)
	if _, err := db.Warehouse(lake).Head(t.Context()); err != nil {
		t.Errorf("a reader does not look behind: %v", err)
	}
	_, err = db.Begin(t.Context(), lake)
	wantError(t, "a turn after a reader", err, postgres.ErrWentBack)
	if _, err := db.Heads(t.Context()); err == nil {
		t.Error("who follows does not look behind")
	}
	if heads, err := other.Heads(t.Context()); err != nil || heads[lake].Head.Seq != 4 {
		t.Errorf("who has seen nothing: %v, %v", heads, err)
	}
}

// TestRestoredIncarnation: another incarnation is taken when what was seen is there.
func TestRestoredIncarnation(t *testing.T) {
	url := postgrestest.Open(t)
	db, recovers := open(t, url), open(t, url)
	journaltest.Append(t, db, births(t, lake))
	exec(t, url, saved...)
	last := after(t, db, draft(lake))
	journaltest.Append(t, db, []journal.Entry{last})
	journaltest.Append(t, recovers, []journal.Entry{continues(t, last.Event, last.Event.Position)})
	wantWentBack(t, db, lake, nil)
	at := db.Floor(lake)
	if at.Seq <= last.Event.Seq || at.Incarnation == last.Event.Incarnation {
		t.Errorf("the floor is %s", at)
	}

	exec(t, url, restored...)
	fresh := open(t, url)
	head, err := fresh.Warehouse(lake).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	journaltest.Append(t, fresh, []journal.Entry{continues(t, last.Event, head)})
	journaltest.Append(t, fresh, []journal.Entry{after(t, fresh, draft(lake))})
	if fresh.Floor(lake).Seq <= at.Seq {
		t.Fatalf("it went on to %s only", fresh.Floor(lake))
	}
	wantWentBack(t, db, lake, postgres.ErrWentBack)
	wantWentBack(t, fresh, lake, nil)
}

// continues starts an incarnation behind an event, far behind it.
func continues(t *testing.T, at journal.Event, parent journal.Position) journal.Entry {
	t.Helper()
	d := births(t, lake)[0]
	return form(t, journal.NewChain(lake, uuid.New(), at.Seq+1_000), journal.Draft{
		Warehouse: lake, ID: uuid.New(), Cause: d.Event.Cause,
		Body: journal.IncarnationStarted{Name: "lake", Location: "s3://lake/wh", Reason: "recovery", Parent: &parent},
	}, journal.At(at.At))
}

// TestNoFalseAlarm: whoever reads, and however much is appended by others, nobody takes
// what is there for less than what was seen.
func TestNoFalseAlarm(t *testing.T) {
	t.Parallel()
	url := postgrestest.Open(t)
	replicas := []*postgres.DB{open(t, url), open(t, url)}
	journaltest.Append(t, replicas[0], append(births(t, lake), births(t, pond)...))
	const appends, readers = 60, 3
	done := make(chan struct{})
	var writing, reading sync.WaitGroup
	for _, db := range replicas {
		for _, warehouse := range []uuid.UUID{lake, pond} {
			writing.Go(func() {
				for range appends {
					if o, _ := appendOne(db, warehouse); o.err != nil {
						t.Errorf("append: %v", o.err)
					}
				}
			})
			for range readers {
				reading.Go(func() { watch(t, db, warehouse, done) })
			}
		}
	}
	writing.Wait()
	close(done)
	reading.Wait()
}

// watch reads heads until it is done. They never fall.
func watch(t *testing.T, db *postgres.DB, warehouse uuid.UUID, done <-chan struct{}) {
	var last journal.Seq
	for {
		select {
		case <-done:
			return
		default:
		}
		at, err := db.Warehouse(warehouse).Head(context.Background())
		if err != nil || at.Seq < last {
			t.Errorf("head %s after %d: %v", at, last, err)
			return
		}
		heads, err := db.Heads(context.Background())
		if err != nil || heads[warehouse].Head.Seq < at.Seq {
			t.Errorf("heads %v after %s: %v", heads, at, err)
			return
		}
		last = heads[warehouse].Head.Seq
	}
}
