package recordertest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
)

// race is two drafts of which only one can be recorded, and the conflicts that the other
// may meet.
type race struct {
	name   string
	drafts func(w *world, r *recorder.Recorder, n int) [2]journal.Draft
	lost   []projections.ConflictKind
}

// races are those in which each draft by itself finds nothing against it.
var races = []race{
	{"a name", func(_ *world, _ *recorder.Recorder, n int) [2]journal.Draft {
		name := fmt.Sprint("name ", n)
		return [2]journal.Draft{Create(Lake, "a", name), Create(Lake, "a", name)}
	}, []projections.ConflictKind{projections.NameTaken}},
	{"a uuid", func(_ *world, _ *recorder.Recorder, n int) [2]journal.Draft {
		one, two := Create(Lake, "a", fmt.Sprint("left ", n)), Create(Lake, "a", fmt.Sprint("right ", n))
		b := two.Body.(journal.TableCreated)
		b.Moves[0].UUID = one.Body.(journal.TableCreated).Moves[0].UUID
		two.Body = b
		return [2]journal.Draft{one, two}
	}, []projections.ConflictKind{projections.UUIDTaken}},
	{"places", func(_ *world, _ *recorder.Recorder, n int) [2]journal.Draft {
		return [2]journal.Draft{at(fmt.Sprint("above ", n), fmt.Sprintf("///over/%d/", n)), at(fmt.Sprint("below ", n), fmt.Sprintf("///over/%d/x/", n))}
	}, []projections.ConflictKind{projections.PlaceTaken}},
	{"a rename", func(w *world, r *recorder.Recorder, n int) [2]journal.Draft {
		to := journal.Identifier{Namespace: journal.Namespace{"a"}, Name: fmt.Sprint("new ", n)}
		return [2]journal.Draft{Rename(Lake, w.table(r, fmt.Sprint("old ", n)), to), Create(Lake, "a", to.Name)}
	}, []projections.ConflictKind{projections.NameTaken}},
	{"a pointer", func(w *world, r *recorder.Recorder, n int) [2]journal.Draft {
		seen := w.table(r, fmt.Sprint("t ", n))
		return [2]journal.Draft{Commit(Lake, seen), Commit(Lake, seen)}
	}, []projections.ConflictKind{projections.PointerMoved}},
	{"pointers, crosswise", func(w *world, r *recorder.Recorder, n int) [2]journal.Draft {
		one, two := w.table(r, fmt.Sprint("one ", n)), w.table(r, fmt.Sprint("two ", n))
		return [2]journal.Draft{Commit(Lake, one, two), Commit(Lake, two, one)}
	}, []projections.ConflictKind{projections.PointerMoved}},
	{"a namespace that goes", func(w *world, r *recorder.Recorder, n int) [2]journal.Draft {
		name := fmt.Sprint("n ", n)
		made := w.must(r, Namespace(Lake, name)).Body.(journal.NamespaceCreated)
		return [2]journal.Draft{Draft(Lake, journal.NamespaceDropped{ID: made.ID, Namespace: made.Namespace}), Create(Lake, name, "t")}
	}, []projections.ConflictKind{projections.NamespaceMissing, projections.NamespaceNotEmpty}},
	{"a namespace", func(_ *world, _ *recorder.Recorder, n int) [2]journal.Draft {
		name := fmt.Sprint("namespace ", n)
		return [2]journal.Draft{Namespace(Lake, name), Namespace(Lake, name)}
	}, []projections.ConflictKind{projections.NamespaceExists}},
}

// at is the draft of a table at a place.
func at(name, path string) journal.Draft {
	d := Create(Lake, "a", name)
	b := d.Body.(journal.TableCreated)
	b.Moves[0].To.Places = []journal.Place{{Path: path, Role: "location"}}
	d.Body = b
	return d
}

// table is a new one.
func (w *world) table(r *recorder.Recorder, name string) projections.Object {
	w.Helper()
	return Object(w.must(r, Create(Lake, "a", name)).Moves()[0])
}

// testRaces: two processes want what only one can have, at once: one has it, and the
// other is told what it has lost to.
func testRaces(w *world) {
	one, two := w.record(w.one), w.record(w.two)
	w.must(one, Namespace(Lake, "a"))
	for _, race := range races {
		for n := range 8 {
			drafts := race.drafts(w, one, n)
			var errs [2]error
			atOnce(func() { _, errs[0] = one.Record(ctx, drafts[0]) }, func() { _, errs[1] = two.Record(ctx, drafts[1]) })
			lost := slices.DeleteFunc(errs[:], func(err error) bool { return err == nil })
			if len(lost) != 1 {
				w.Errorf("%s: %d lost: %v", race.name, len(lost), lost)
				continue
			}
			if c, ok := errors.AsType[*projections.Conflict](lost[0]); !ok || !slices.Contains(race.lost, c.Kind) {
				w.Errorf("%s: the other was told %v", race.name, lost[0])
			}
		}
	}
}

// atOnce does things side by side.
func atOnce(things ...func()) {
	var under sync.WaitGroup
	for _, do := range things {
		under.Go(do)
	}
	under.Wait()
}

// testKeysInFlight: of two requests with one key that two processes have at once,
// only one takes effect.
func testKeysInFlight(w *world) {
	one, two := w.record(w.one), w.record(w.two)
	for n := range 24 {
		record := func(r *recorder.Recorder, err *error) func() {
			return func() { _, *err = r.Record(ctx, Keyed(Namespace(Lake, uuid.NewString()), Key(n))) }
		}
		remember := func(r *recorder.Recorder, err *error) func() {
			return func() { *err = r.Remember(ctx, Lake, Conflicted(Key(n))) }
		}
		var errs [2]error
		switch n % 3 {
		case 0:
			atOnce(record(one, &errs[0]), record(two, &errs[1]))
		case 1:
			atOnce(record(one, &errs[0]), remember(two, &errs[1]))
		case 2:
			atOnce(remember(one, &errs[0]), remember(two, &errs[1]))
		}
		taken := slices.DeleteFunc(errs[:], func(err error) bool { return err == nil })
		if len(taken) != 1 || !errors.Is(taken[0], journal.ErrKeyTaken) {
			w.Errorf("key %d: %v", n, taken)
		}
	}
	events := CheckLaws(w, w.Journal, w.one)
	for id, e := range events {
		r := Asked(e.Cause.Key)
		if e.Cause.Key == "" {
			continue
		}
		if a, bound, err := w.Journal.Warehouse(Lake).Answered(ctx, r.Actor, r.Key, e.At); !bound || err != nil || a.Seq != e.Seq {
			w.Errorf("event %s: its key is bound to %+v: %v, %v", id, a, bound, err)
		}
	}
}

// testKeysExpire: a key is bound until its time, and no longer.
func testKeysExpire(w *world) {
	d := Keyed(Namespace(Lake, "a"), Key(0))
	turn := w.begin(w.one, Lake, d)
	d.Request.Until = turn.Now().Trusted.Add(time.Hour).Truncate(time.Millisecond)
	if err := turn.Commit(ctx, w.form(turn, d), nil); err != nil {
		w.Fatal(err)
	}
	turn = w.begin(w.two, Lake, d)
	defer turn.Rollback()
	for ms, want := range map[int]bool{-1: true, 0: false, 1: false} {
		at := d.Request.Until.Add(time.Duration(ms) * time.Millisecond)
		if bound, err := turn.Answered(ctx, *d.Request, at); bound != want || err != nil {
			w.Errorf("%d ms after its end it is bound: %v, %v", ms, bound, err)
		}
	}
}

// testSameRequestTwice: one request that comes to two processes at once is one event.
func testSameRequestTwice(w *world) {
	one, two := w.record(w.one), w.record(w.two)
	for n := range 16 {
		d := Namespace(Lake, fmt.Sprint("n", n))
		if n%2 == 0 {
			d = Keyed(d, Key(n))
		}
		var events [3]journal.Event
		var errs [3]error
		atOnce(
			func() { events[0], errs[0] = one.Record(ctx, d) },
			func() { events[1], errs[1] = two.Record(ctx, d) },
			func() { events[2], errs[2] = two.Record(ctx, d) })
		if err := errors.Join(errs[:]...); err != nil || events[0].Hash != events[1].Hash || events[0].Hash != events[2].Hash {
			w.Errorf("recorded at %s, %s and %s: %v", events[0].Position, events[1].Position, events[2].Position, err)
		}
	}
}

// testReadsAreFresh: what one process has acknowledged every other one sees.
func testReadsAreFresh(w *world) {
	one, two := w.record(w.one), w.record(w.two)
	w.must(one, Namespace(Lake, "a"))
	seen := w.table(two, "t")
	for n := range 40 {
		writer, reader := one, two
		if n%2 == 0 {
			writer, reader = two, one
		}
		seen = Object(w.must(writer, Commit(Lake, seen)).Moves()[0])
		if o, err := reader.Reader(Lake).Object(ctx, seen.Identifier); err != nil || o.Pointer != seen.Pointer {
			w.Fatalf("commit %d is not seen: %+v, %v", n, o, err)
		}
	}
}
