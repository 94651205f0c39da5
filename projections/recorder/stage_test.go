package recorder_test

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
	"puddle/projections/recorder"
)

var ctx = context.Background()

var errInjected = errors.New("injected")

// Two warehouses are enough to mix histories.
var (
	lake = uuid.MustParse("00000000-0000-4000-8000-000000000001")
	pond = uuid.MustParse("00000000-0000-4000-8000-000000000002")
)

// stage is a recorder over a journal and a store whose steps are hooked.
type stage struct {
	*recorder.Recorder
	journal *spiedJournal
	store   *spiedStore
}

// newStage begins recording in memory. The hook is installed after the births.
func newStage(tb rapid.TB, h hook, opts recorder.Options) *stage {
	tb.Helper()
	return newStageOver(tb, journal.NewMemory(), projections.NewMemory(), h, opts)
}

func newStageOver(tb rapid.TB, j journal.Journal, s projections.Store, h hook, opts recorder.Options) *stage {
	tb.Helper()
	if h == nil {
		h = func(string, bool) error { return nil }
	}
	bear(tb, j)
	catchUp(tb, j, s)
	st := &stage{journal: &spiedJournal{Journal: j, hook: h}, store: &spiedStore{Store: s, hook: h}}
	r, err := recorder.New(ctx, st.journal, st.store, opts)
	if err != nil {
		tb.Fatalf("recorder: %v", err)
	}
	st.Recorder = r
	return st
}

// bear begins the histories of both warehouses, unless they have begun.
func bear(tb rapid.TB, j journal.Journal) {
	tb.Helper()
	for _, w := range []uuid.UUID{lake, pond} {
		if _, err := j.Warehouse(w).Head(ctx); !errors.Is(err, journal.ErrNoWarehouse) {
			continue
		}
		journaltest.Append(tb, j, journaltest.Entries(tb, journaltest.NewStory(w).Drafts, journaltest.Start))
	}
}

// tables are those of a store or a database.
type tables interface {
	Warehouse(id uuid.UUID) projections.Warehouse
}

func catchUp(tb rapid.TB, j journal.Journal, s tables) {
	tb.Helper()
	for _, w := range []uuid.UUID{lake, pond} {
		if err := projections.CatchUp(ctx, j.Warehouse(w), 0, s.Warehouse(w)); err != nil {
			tb.Fatalf("catch up: %v", err)
		}
	}
}

// namespace is the draft of a new namespace.
func namespace(warehouse uuid.UUID, name string) journal.Draft {
	return draft(warehouse, journal.NamespaceCreated{ID: uuid.New(), Namespace: journal.Namespace{name}})
}

func draft(warehouse uuid.UUID, body journal.Body) journal.Draft {
	return journal.Draft{
		Warehouse: warehouse, ID: uuid.Must(uuid.NewV7()), Body: body,
		Cause: journal.Cause{Actor: journal.Anonymous, Origin: journal.OriginREST},
	}
}

// answer is what Record answered.
type answer struct {
	event journal.Event
	err   error
}

// start records in the background; the answer comes on the channel.
func (s *stage) start(ctx context.Context, d journal.Draft) <-chan answer {
	done := make(chan answer, 1)
	go func() {
		e, err := s.Record(ctx, d)
		done <- answer{e, err}
	}()
	return done
}

// checkLaws compares everything that is derived with the journal (laws 1, 2, 6,
// 7): the store, a state folded event by event, one folded by CatchUp. It answers
// the events by id.
func checkLaws(tb rapid.TB, j journal.Journal, s tables) map[uuid.UUID]journal.Event {
	tb.Helper()
	all := make(map[uuid.UUID]journal.Event)
	for _, w := range []uuid.UUID{lake, pond} {
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
