package projections

import (
	"errors"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// watched are tables that remember whether they were written to.
type watched struct {
	*held
	written bool
}

func (w *watched) Begin(name, location string) error {
	w.written = true
	return w.held.Begin(name, location)
}

func (w *watched) PutNamespace(n Namespace) error {
	w.written = true
	return w.held.PutNamespace(n)
}

func (w *watched) DropNamespace(n Namespace) error {
	w.written = true
	return w.held.DropNamespace(n)
}

func (w *watched) Move(o HeldObject, e journal.Event, m journal.Move) error {
	w.written = true
	return w.held.Move(o, e, m)
}

func (w *watched) Import(steps []Step) error {
	w.written = true
	return w.held.Import(steps)
}

func (w *watched) SetPlaces(object uuid.UUID, places []journal.Place) error {
	w.written = true
	return w.held.SetPlaces(object, places)
}

func (w *watched) PutPurge(p Purge) error {
	w.written = true
	return w.held.PutPurge(p)
}

func (w *watched) DropPurge(table uuid.UUID) error {
	w.written = true
	return w.held.DropPurge(table)
}

// What Fold promises whoever needs no savepoint for it: an event with fewer than two
// moves is refused before anything is written.
func TestRefusedBeforeWritten(t *testing.T) {
	id := uuid.New()
	rapid.Check(t, func(t *rapid.T) {
		attempts, _ := journaltest.DrawConflicting(t, id)
		chain := journal.NewChain(id, journaltest.Incarnation(id), 0)
		var is held
		for _, a := range attempts {
			entry, next, err := chain.Next(a.Draft, journal.At(journaltest.Start))
			if err != nil {
				t.Fatal(err)
			}
			tables := watched{held: &is}
			before := is
			err = Fold(&tables, entry.Event)
			var refused *Conflict
			switch {
			case errors.As(err, &refused):
				if tables.written && len(entry.Event.Moves()) < 2 {
					t.Fatalf("%s: %v, after something was written", entry.Event.Kind(), err)
				}
				is = before
			case err != nil:
				t.Fatal(err)
			default:
				chain = next
			}
		}
	})
}
