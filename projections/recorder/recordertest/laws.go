package recordertest

import (
	"context"
	"errors"
	"reflect"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

var ctx = context.Background()

// Two warehouses are enough to mix histories.
var (
	Lake = uuid.MustParse("00000000-0000-4000-8000-000000000001")
	Pond = uuid.MustParse("00000000-0000-4000-8000-000000000002")
)

// Bear begins the histories of both warehouses, unless they have begun.
func Bear(tb rapid.TB, j journal.Journal) {
	tb.Helper()
	for _, w := range []uuid.UUID{Lake, Pond} {
		if _, err := j.Warehouse(w).Head(ctx); !errors.Is(err, journal.ErrNoWarehouse) {
			continue
		}
		journaltest.Append(tb, j, journaltest.Entries(tb, journaltest.NewStory(w).Drafts, journaltest.Start))
	}
}

// Tables are those of a store or a database.
type Tables interface {
	Warehouse(id uuid.UUID) projections.Warehouse
}

// CatchUp brings the tables of both warehouses up.
func CatchUp(tb rapid.TB, j journal.Journal, s Tables) {
	tb.Helper()
	for _, w := range []uuid.UUID{Lake, Pond} {
		if err := projections.CatchUp(ctx, j.Warehouse(w), 0, s.Warehouse(w)); err != nil {
			tb.Fatalf("catch up: %v", err)
		}
	}
}

// CheckLaws compares everything that is derived with the journal (laws 1, 2, 6,
// 7): the store, a state folded event by event, one folded by CatchUp. It answers
// the events by id.
func CheckLaws(tb rapid.TB, j journal.Journal, s Tables) map[uuid.UUID]journal.Event {
	tb.Helper()
	all := make(map[uuid.UUID]journal.Event)
	for _, w := range []uuid.UUID{Lake, Pond} {
		events := journaltest.Events(tb, j.Warehouse(w), 0)
		checkDense(tb, events)
		live, replayed := projections.NewState(w), projections.NewState(w)
		for _, e := range events {
			if _, twice := all[e.ID]; twice {
				tb.Fatalf("id %s is in the journal twice", e.ID)
			}
			all[e.ID] = e
			if err := live.Apply(ctx, e); err != nil {
				tb.Fatalf("fold %s: %v", e.Position, err)
			}
		}
		if err := projections.CatchUp(ctx, j.Warehouse(w), 0, replayed); err != nil {
			tb.Fatalf("replay: %v", err)
		}
		want := dump(tb, live)
		if want.Cursor != events[len(events)-1].Position {
			tb.Fatalf("the fold ends at %s", want.Cursor)
		}
		checkSame(tb, "replay", want, dump(tb, replayed))
		checkSame(tb, "the store", want, dump(tb, s.Warehouse(w)))
	}
	return all
}

func checkSame(tb rapid.TB, what string, want, got projections.Dump) {
	tb.Helper()
	if reflect.DeepEqual(want, got) {
		return // the rule, and quickly seen
	}
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Fatalf("%s differs from the fold (-fold +%s):\n%s", what, what, diff)
	}
}

// checkDense is law 6. Scan has checked the links.
func checkDense(tb rapid.TB, events []journal.Event) {
	tb.Helper()
	for i, e := range events {
		if e.Seq != journal.Seq(i+1) {
			tb.Fatalf("event %d has the seq %d", i+1, e.Seq)
		}
		if i > 0 && (e.Prev != events[i-1].Hash || e.At.Before(events[i-1].At)) {
			tb.Fatalf("event %s does not follow %s", e.Position, events[i-1].Position)
		}
	}
}

func dump(tb rapid.TB, of any) projections.Dump {
	tb.Helper()
	d, err := of.(projections.Dumper).Dump(ctx)
	if err != nil {
		tb.Fatalf("dump: %v", err)
	}
	return d
}
