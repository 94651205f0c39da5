package recover_test

import (
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/recover"
	"puddle/rest/catalog"
)

// orphan is pointer tables whose journal is lost, and the journal that is made from them.
type orphan struct {
	*testing.T
	id      uuid.UUID
	lost    *projections.State
	journal *journal.Memory
	start   journal.Event
}

// newOrphan has the history of a table with many versions, of one that was renamed,
// dropped and made again, and of a view.
func newOrphan(t *testing.T) *orphan {
	o := &orphan{T: t, id: uuid.New(), journal: journal.NewMemory()}
	o.lost = projections.NewState(o.id)
	story := journaltest.NewStory(o.id)
	in := func(name string) journal.Identifier {
		return journal.Identifier{Namespace: journal.Namespace{"a"}, Name: name}
	}
	story.CreateNamespace(journal.Namespace{"a"}, nil)
	for _, name := range []string{"many", "gone"} {
		story.CreateTable(in(name))
	}
	story.CreateView(in("view"))
	story.Rename(in("gone"), in("went"))
	for range 2500 {
		story.Commit(in("many"))
	}
	story.Drop(in("went"), true)
	story.CreateTable(in("went"))
	story.ReplaceView(in("view"))
	for _, e := range journaltest.Entries(t, story.Drafts, journaltest.Start) {
		o.must(o.lost.Apply(t.Context(), e.Event))
	}
	cursor, err := o.lost.Cursor(t.Context())
	o.must(err)
	w := recover.Warehouse{Name: "lake", Location: "s3://lake/wh", Store: memory.New()}
	o.start, err = recover.Binder{Journal: o.journal, Clock: clock, Build: "test"}.Begin(t.Context(), w, recover.Beginning{
		ID: o.id, From: recover.FromMetastore, Parent: &cursor, Cause: ruinCause,
	})
	o.must(err)
	return o
}

func (o *orphan) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// steps are what the lost tables have.
func (o *orphan) steps() iter.Seq2[projections.Step, error] {
	moment, err := o.lost.Moment(o.Context())
	o.must(err)
	return moment.History()
}

// run is one process that imports, with a catalog that goes on afterwards.
func (o *orphan) run(steps iter.Seq2[projections.Step, error], fault func() faulty.Fault, then func(*catalog.Catalog)) (int, error) {
	o.Helper()
	var j journal.Journal = o.journal
	if fault != nil {
		j = broken{o.journal, fault}
	}
	tables := projections.NewMemory()
	o.must(projections.CatchUp(o.Context(), journal.Lineage(o.journal, o.id), 0, tables.Warehouse(o.id)))
	rec, err := recorder.New(o.Context(), j, tables, recorder.Options{Clock: clock})
	o.must(err)
	defer rec.Close()
	c := catalog.New(catalog.Options{ID: o.id, Reader: rec.Reader(o.id), Recorder: rec, Now: func() time.Time { return clock.Trusted }})
	n, err := recover.ImportHistory(o.Context(), steps, recover.Target{Catalog: c, Start: &o.start, Events: j.Warehouse(o.id), Cause: ruinCause})
	if err == nil && then != nil {
		then(c)
	}
	return n, err
}

// history is what the journal that was made folds to, and how many events it has.
func (o *orphan) history() (steps []projections.Step, events int) {
	o.Helper()
	state := projections.NewState(o.id)
	o.must(projections.CatchUp(o.Context(), journal.Lineage(o.journal, o.id), 0, state))
	dump, err := state.Dump(o.Context())
	o.must(err)
	for e, err := range o.journal.Warehouse(o.id).Scan(o.Context(), 0) {
		o.must(err)
		if b, ok := e.Body.(journal.HistoryImported); ok {
			if e.Cause.Origin != journal.OriginImport || len(b.Steps) > 1000 {
				o.Errorf("%s: %s, %d steps", e.Position, e.Cause.Origin, len(b.Steps))
			}
			events++
		}
	}
	return dump.Steps, events
}

func (o *orphan) wanted() []projections.Step {
	dump, err := o.lost.Dump(o.Context())
	o.must(err)
	return dump.Steps
}

// TestImportHistory: it is taken over in batches, and another run adds nothing, also
// when more was recorded since.
func TestImportHistory(t *testing.T) {
	o := newOrphan(t)
	want := o.wanted()
	n, err := o.run(o.steps(), nil, func(c *catalog.Catalog) {
		o.must(c.RecoverNamespace(t.Context(), ruinCause, uuid.Must(uuid.NewV7()), projections.Namespace{ID: uuid.New(), Name: journal.Namespace{"a"}}))
	})
	o.must(err)
	got, events := o.history()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || n != len(want) || events != 3 {
		t.Errorf("%d of %d steps in %d events: %s", n, len(want), events, diff)
	}
	n, err = o.run(o.steps(), nil, nil)
	o.must(err)
	if again, events := o.history(); n != len(want) || len(again) != len(want) || events != 3 {
		t.Errorf("again: %d steps, %d in %d events", n, len(again), events)
	}
}

// TestImportHistoryIsRunAgain: wherever it is stopped, another run ends with the same.
func TestImportHistoryIsRunAgain(t *testing.T) {
	want := newOrphan(t).wanted()
	for _, applied := range []bool{false, true} {
		for at, done := 0, false; !done; at++ {
			o := newOrphan(t)
			calls := &counted{at: at, killed: true}
			_, err := o.run(o.steps(), func() faulty.Fault {
				switch {
				case !calls.fails():
					return faulty.Fault{}
				case applied:
					return faulty.After(journal.ErrUnknownOutcome)
				}
				return faulty.Before(errors.New("injected"))
			}, nil)
			if done = calls.n <= at; !done {
				if !errors.Is(err, recover.ErrIncomplete) {
					t.Errorf("call %d: %v", at, err)
				}
				_, err = o.run(o.steps(), nil, nil)
			}
			o.must(err)
			got, events := o.history()
			if len(got) != len(want) || events != 3 {
				t.Fatalf("call %d (applied %v): %d of %d steps in %d events", at, applied, len(got), len(want), events)
			}
		}
	}
}

// TestImportHistoryUntilDamage: what is before steps that cannot be read is taken over,
// and the rest of the recovery goes on.
func TestImportHistoryUntilDamage(t *testing.T) {
	o := newOrphan(t)
	damaged := func(yield func(projections.Step, error) bool) {
		n := 0
		for s := range o.steps() {
			if n++; n > 1200 {
				yield(projections.Step{}, projections.ErrDamaged)
				return
			}
			if !yield(s, nil) {
				return
			}
		}
	}
	n, err := o.run(damaged, nil, nil)
	if !errors.Is(err, projections.ErrDamaged) || n != 1200 {
		t.Errorf("%d, %v", n, err)
	}
	if got, _ := o.history(); len(got) != 1200 {
		t.Errorf("%d steps", len(got))
	}
	if n, err := o.run(damaged, nil, nil); !errors.Is(err, projections.ErrDamaged) || n != 1200 {
		t.Errorf("again: %d, %v", n, err)
	}
}
