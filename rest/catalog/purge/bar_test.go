package purge_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog/purge"
	"puddle/rest/catalog/purge/mark"
)

// A bar lists the marks once in a turn, however many events it is asked about, and not at
// all for those that give nothing a place.
func TestBarListsOnce(t *testing.T) {
	w := fresh(t)
	dead := plain("dead", root+"/a")
	w.dropped(t, dead)
	must(t, mark.Write(ctx, w.files, mark.Mark{Table: dead.id, Drop: w.pending(t)[0].Drop, BegunAt: w.clock.now}))
	lists := 0
	bar := purge.Bar{Own: faulty.New(w.files, func(op faulty.Op, _ string) faulty.Fault {
		if op == faulty.List {
			lists++
		}
		return faulty.Fault{}
	})}
	in := bar.In(standing{w.recorder.Reader(lake)})
	must(t, in.Refuse(ctx, journal.Event{Body: journal.TableDropped{Moves: [1]journal.Move{{UUID: dead.id, From: &journal.From{}}}}}))
	if lists != 0 {
		t.Errorf("it was looked %d times for nobody", lists)
	}
	var conflict *projections.Conflict
	for _, path := range []string{root + "/a/x", root + "/b", root + "/a"} {
		born := plain("born", path)
		err := in.Refuse(ctx, journal.Event{Body: journal.TableCreated{Moves: [1]journal.Move{{Kind: journal.Table, UUID: born.id, To: born.to(t)}}}})
		if far := path == root+"/b"; errors.As(err, &conflict) == far || far && err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if lists != 1 {
		t.Errorf("%d lists", lists)
	}
}

// hanging is a warehouse that answers no sooner than its caller gives up.
type hanging struct{ warehouse.Reader }

func (hanging) List(ctx context.Context, _ string) iter.Seq2[warehouse.Entry, error] {
	return func(yield func(warehouse.Entry, error) bool) {
		<-ctx.Done()
		yield(warehouse.Entry{}, ctx.Err())
	}
}

// A warehouse that does not answer keeps no turn for longer than the limit, all events of
// it together, and an error of the turn itself is that.
func TestBarIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := journal.Event{Body: journal.TablesCommitted{Moves: []journal.Move{{UUID: uuid.New(), From: &journal.From{}, To: &journal.To{}}}}}
		start, limit := time.Now(), 3*time.Second
		in := (purge.Bar{Own: hanging{}, Limit: limit}).In(nil)
		for range 3 {
			if err := in.Refuse(t.Context(), to); !errors.Is(err, purge.ErrLate) {
				t.Errorf("got %v", err)
			}
		}
		if took := time.Since(start); took != limit {
			t.Errorf("it took %s", took)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		in = (purge.Bar{Own: hanging{}, Limit: limit}).In(lostTurn{})
		back := journal.Event{Body: journal.TableUndropped{Moves: [1]journal.Move{{UUID: uuid.New(), To: &journal.To{}}}}}
		if err := in.Refuse(t.Context(), back); !errors.Is(err, errInjected) {
			t.Errorf("the turn is lost: %v", err)
		}
		if err := in.Refuse(gone, to); errors.Is(err, purge.ErrLate) {
			t.Errorf("the caller is gone: %v", err)
		}
	})
}

// lostTurn is a turn whose database is away.
type lostTurn struct{ purge.Standing }

func (lostTurn) PurgesOf(context.Context, ...uuid.UUID) (map[uuid.UUID]projections.Purge, error) {
	return nil, errInjected
}
