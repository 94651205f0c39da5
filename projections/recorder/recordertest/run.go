package recordertest

import (
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections/recorder"
)

// Opened is an empty database. The suite does not close it.
type Opened struct {
	Journal journal.Journal          // of the database, for births and to look
	Replica func() recorder.Database // the database as one more process sees it
}

// Run runs the suite; open makes a new empty database each time.
func Run(t *testing.T, open func(testing.TB) Opened) {
	for _, test := range []struct {
		name string
		run  func(*world)
	}{
		{"Turn", testTurn},
		{"TurnIsRolledBack", testTurnIsRolledBack},
		{"TurnStoresAnswers", testTurnStoresAnswers},
		{"AllOrNone", testAllOrNone},
		{"Unborn", testUnborn},
		{"TurnsAreTaken", testTurnsAreTaken},
		{"NotForeseen", testNotForeseen},
		{"Races", testRaces},
		{"KeysInFlight", testKeysInFlight},
		{"KeysExpire", testKeysExpire},
		{"SameRequestTwice", testSameRequestTwice},
		{"ReadsAreFresh", testReadsAreFresh},
		{"Births", testBirths},
		{"LanesAreApart", testLanesAreApart},
		{"OneIsRefused", testOneIsRefused},
		{"UnknownOutcome", testUnknownOutcome},
		{"LawClients", testClients},
		{"LawFaults", testFaults},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &world{T: t, Opened: open(t)}
			w.one, w.two = w.Replica(), w.Replica()
			Bear(t, w.Journal)
			CatchUp(t, w.Journal, w.one)
			test.run(w)
			CheckLaws(t, w.Journal, w.two)
		})
	}
}

// world is a database in which both warehouses are born, as two processes see it.
type world struct {
	*testing.T
	Opened
	one, two recorder.Database
}

// record starts a recorder, which is closed when the test ends.
func (w *world) record(db recorder.Database) *recorder.Recorder {
	w.Helper()
	r, err := recorder.NewShared(ctx, db, recorder.Options{})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = r.Close() }) // it never fails
	return r
}

// must records a draft that nothing is against.
func (w *world) must(r *recorder.Recorder, d journal.Draft) journal.Event {
	w.Helper()
	e, err := r.Record(ctx, d)
	if err != nil {
		w.Fatal(err)
	}
	return e
}

// begin begins a turn that is told of everything beforehand.
func (w *world) begin(db recorder.Database, warehouse uuid.UUID, drafts ...journal.Draft) recorder.Turn {
	w.Helper()
	var requests []journal.Request
	for _, d := range drafts {
		if d.Request != nil {
			requests = append(requests, *d.Request)
		}
	}
	turn, err := db.Begin(ctx, warehouse, drafts, requests)
	if err != nil {
		w.Fatal(err)
	}
	return turn
}

// form makes the entries of drafts, which the turn takes.
func (w *world) form(turn recorder.Turn, drafts ...journal.Draft) (entries []journal.Entry) {
	w.Helper()
	chain, born := turn.Chain()
	if !born {
		w.Fatal("the warehouse is not born")
	}
	for _, d := range drafts {
		entry, next, err := chain.Next(d, turn.Now())
		if err == nil {
			err = turn.Apply(ctx, entry.Event)
		}
		if err != nil {
			w.Fatal(err)
		}
		entries, chain = append(entries, entry), next
	}
	return entries
}
