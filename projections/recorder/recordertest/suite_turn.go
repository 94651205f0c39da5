package recordertest

import (
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
)

// testTurn goes through what a turn answers, and finds it all in the next one.
func testTurn(w *world) {
	before, err := w.Journal.Warehouse(Lake).Head(ctx)
	if err != nil {
		w.Fatal(err)
	}
	a, twice, b := Keyed(Namespace(Lake, "a"), Key(0)), Namespace(Lake, "a"), Create(Lake, "a", "t")
	turn := w.begin(w.one, Lake, a, twice, b)
	if chain, born := turn.Chain(); !born || chain.Warehouse != Lake || chain.Head != before {
		w.Errorf("it begins at %+v, %v, the journal is at %s", chain, born, before)
	}
	if _, found, err := turn.Find(ctx, a.ID); found || err != nil {
		w.Errorf("found before it was recorded: %v, %v", found, err)
	}
	if bound, err := turn.Answered(ctx, *a.Request, turn.Now().Trusted); bound || err != nil {
		w.Errorf("bound before it was recorded: %v, %v", bound, err)
	}
	entries := w.form(turn, a)
	lost, _, err := journal.ChainAt(entries[0].Event).Next(twice, turn.Now())
	if err != nil {
		w.Fatal(err)
	}
	conflict, ok := errors.AsType[*projections.Conflict](turn.Apply(ctx, lost.Event))
	if !ok || conflict.Kind != projections.NamespaceExists {
		w.Errorf("the second of that name: %v", conflict)
	}
	next, _, err := journal.ChainAt(entries[0].Event).Next(b, turn.Now())
	if err := errors.Join(err, turn.Apply(ctx, next.Event)); err != nil {
		w.Fatalf("after a conflict: %v", err)
	}
	if err := turn.Commit(ctx, append(entries, next), nil); err != nil {
		w.Fatal(err)
	}
	turn.Rollback() // does nothing
	w.wantRecorded(entries[0].Event, next.Event)
}

// wantRecorded looks at events, the last ones, as another process.
func (w *world) wantRecorded(events ...journal.Event) {
	w.Helper()
	turn := w.begin(w.two, Lake)
	defer turn.Rollback()
	last := events[len(events)-1]
	if chain, _ := turn.Chain(); chain != journal.ChainAt(last) {
		w.Errorf("it ends at %+v, not at %s", chain, last.Position)
	}
	for _, want := range events {
		e, found, err := turn.Find(ctx, want.ID)
		if !found || err != nil || e.ID != want.ID || e.Position != want.Position {
			w.Errorf("event %s is found: %v, %v, at %s", want.Position, found, err, e.Position)
		}
	}
	if bound, err := turn.Answered(ctx, Asked(Key(0)), turn.Now().Trusted); !bound || err != nil {
		w.Errorf("the key is bound: %v, %v", bound, err)
	}
}

func testTurnIsRolledBack(w *world) {
	a := Keyed(Namespace(Lake, "a"), Key(0))
	turn := w.begin(w.one, Lake, a)
	w.form(turn, a)
	turn.Rollback()
	turn.Rollback()
	again := w.begin(w.two, Lake, a)
	if err := again.Commit(ctx, w.form(again, a), nil); err != nil {
		w.Fatal(err)
	}
	w.wantRecorded(w.last())
	spoilt := w.begin(w.one, Lake)
	stray := w.last()
	stray.Seq += 5
	if err := spoilt.Apply(ctx, stray); err == nil {
		w.Error("an event that does not follow was applied")
	}
	if err := spoilt.Commit(ctx, nil, []journal.Answer{Conflicted(Key(1))}); err == nil {
		w.Error("a turn that failed was committed")
	}
	spoilt.Rollback()
	w.wantRecorded(w.last())
}

func (w *world) last() journal.Event {
	w.Helper()
	for e, err := range w.Journal.Warehouse(Lake).ScanBack(ctx, 0) {
		if err != nil {
			w.Fatal(err)
		}
		return e
	}
	return journal.Event{}
}

// testTurnStoresAnswers stores one beside an event and one without.
func testTurnStoresAnswers(w *world) {
	a := Keyed(Namespace(Lake, "a"), Key(0))
	turn := w.begin(w.one, Lake, a)
	if err := turn.Commit(ctx, w.form(turn, a), []journal.Answer{Conflicted(Key(1))}); err != nil {
		w.Fatal(err)
	}
	turn, err := w.two.Begin(ctx, Lake, nil, []journal.Request{Asked(Key(2))})
	if err != nil {
		w.Fatal(err)
	}
	if err := turn.Commit(ctx, nil, []journal.Answer{Conflicted(Key(2))}); err != nil {
		w.Fatal(err)
	}
	w.wantRecorded(w.last())
	for n, status := range []int{0, 409, 409} {
		r := Asked(Key(n))
		answer, bound, err := w.Journal.Warehouse(Lake).Answered(ctx, r.Actor, r.Key, time.Now())
		if !bound || err != nil || answer.Status != status {
			w.Errorf("key %d: %+v, %v, %v", n, answer, bound, err)
		}
	}
}

// testAllOrNone commits what is refused in its last part.
func testAllOrNone(w *world) {
	turn := w.begin(w.one, Lake)
	if err := turn.Commit(ctx, nil, []journal.Answer{Conflicted(Key(0))}); err != nil {
		w.Fatal(err)
	}
	for what, c := range map[string]struct {
		answers []journal.Answer
		want    error
	}{
		"a key that is bound":   {[]journal.Answer{Conflicted(Key(1)), Conflicted(Key(0))}, journal.ErrKeyTaken},
		"a key of the group":    {[]journal.Answer{Conflicted(Key(2))}, journal.ErrKeyTaken},
		"an answer of no form":  {[]journal.Answer{{Request: Asked(Key(1))}}, journal.ErrRequest},
		"one that is too large": {[]journal.Answer{{Request: Asked(Key(1)), Status: 409, Body: make([]byte, journal.MaxAnswerBytes+1)}}, journal.ErrTooLarge},
	} {
		a := Keyed(Namespace(Lake, "a"), Key(2))
		turn := w.begin(w.one, Lake, a)
		err := turn.Commit(ctx, w.form(turn, a), c.answers)
		turn.Rollback()
		if !errors.Is(err, c.want) || errors.Is(err, journal.ErrUnknownOutcome) {
			w.Errorf("%s: %v, want %v", what, err, c.want)
		}
		if last := w.last(); last.Kind() != journal.KindIncarnationStarted {
			w.Fatalf("%s: %s was recorded", what, last.Kind())
		}
	}
	if _, err := w.two.Warehouse(Lake).Namespace(ctx, journal.Namespace{"a"}); !errors.Is(err, projections.ErrNoNamespace) {
		w.Errorf("it is shown: %v", err)
	}
}

// testUnborn: a warehouse that is not born has turns without a chain, and recorders
// refuse it.
func testUnborn(w *world) {
	sea := uuid.New()
	turn := w.begin(w.one, sea)
	if chain, born := turn.Chain(); born {
		w.Errorf("it begins at %+v", chain)
	}
	turn.Rollback()
	r := w.record(w.one)
	if _, err := r.Record(ctx, Namespace(sea, "a")); !errors.Is(err, journal.ErrNoWarehouse) {
		w.Errorf("a draft: %v", err)
	}
	if err := r.Remember(ctx, sea, Conflicted(Key(0))); !errors.Is(err, journal.ErrNoWarehouse) {
		w.Errorf("an answer: %v", err)
	}
	if ids, err := w.two.Warehouses(ctx); err != nil || len(ids) != 2 {
		w.Errorf("there are %v, %v", ids, err)
	}
}

// testTurnsAreTaken: whoever has the turn has it alone. Were it not so, somebody would
// not follow.
func testTurnsAreTaken(w *world) {
	var writers sync.WaitGroup
	for i := range 8 {
		db := []recorder.Database{w.one, w.two}[i%2]
		writers.Go(func() {
			for range 5 {
				d := Namespace([]uuid.UUID{Lake, Pond}[i/2%2], uuid.NewString())
				turn, err := db.Begin(ctx, d.Warehouse, []journal.Draft{d}, nil)
				if err != nil {
					w.Error(err)
					return
				}
				chain, _ := turn.Chain()
				entry, _, err := chain.Next(d, turn.Now())
				if err := errors.Join(err, turn.Apply(ctx, entry.Event), turn.Commit(ctx, []journal.Entry{entry}, nil)); err != nil {
					w.Error(err)
				}
			}
		})
	}
	writers.Wait()
}

// testNotForeseen: a turn answers for what it was not told of.
func testNotForeseen(w *world) {
	r := w.record(w.one)
	w.must(r, Keyed(Namespace(Lake, "a"), Key(0)))
	created := w.must(r, Create(Lake, "a", "t"))
	seen := Object(created.Moves()[0])
	turn := w.begin(w.two, Lake)
	if _, found, err := turn.Find(ctx, created.ID); !found || err != nil {
		w.Errorf("the event: %v, %v", found, err)
	}
	if bound, err := turn.Answered(ctx, Asked(Key(0)), turn.Now().Trusted); !bound || err != nil {
		w.Errorf("the key: %v, %v", bound, err)
	}
	chain, _ := turn.Chain()
	taken, _, err := chain.Next(Create(Lake, "a", "t"), turn.Now())
	if err != nil {
		w.Fatal(err)
	}
	if c, ok := errors.AsType[*projections.Conflict](turn.Apply(ctx, taken.Event)); !ok || c.Kind != projections.NameTaken {
		w.Errorf("the name: %v", c)
	}
	entries := w.form(turn, Commit(Lake, seen), Create(Lake, "a", "u"))
	if err := turn.Commit(ctx, entries, nil); err != nil {
		w.Error(err)
	}
}
