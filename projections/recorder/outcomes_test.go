package recorder_test

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/projections"
)

// outcomes is what Record answered, by id.
type outcomes struct {
	mu      sync.Mutex
	done    map[uuid.UUID]journal.Event
	refused map[uuid.UUID]error
	unknown map[uuid.UUID]error
	broken  []string // promises
	keys    keys
}

func newOutcomes() *outcomes {
	return &outcomes{
		done: map[uuid.UUID]journal.Event{}, refused: map[uuid.UUID]error{}, unknown: map[uuid.UUID]error{}, keys: newKeys(),
	}
}

func (o *outcomes) tries(uuid.UUID) {}

func (o *outcomes) hears(id uuid.UUID, e journal.Event, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err == nil:
		o.done[id] = e
		delete(o.refused, id) // an earlier try
	case errors.Is(err, journal.ErrUnknownOutcome):
		o.unknown[id] = err
		delete(o.refused, id)
	case o.unknown[id] != nil || o.done[id].Body != nil:
		// tried again: that this try did nothing says nothing of the first
	default:
		o.refused[id] = err
	}
}

func (o *outcomes) complains(promise string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.broken = append(o.broken, promise)
}

// check compares the answers with the events that are in the journal.
func (o *outcomes) check(tb rapid.TB, events map[uuid.UUID]journal.Event) {
	tb.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.broken) > 0 {
		tb.Fatalf("broken promises: %q", o.broken)
	}
	for id, e := range o.done {
		if held, ok := events[id]; !ok || held.Position != e.Position {
			tb.Fatalf("acknowledged %s at %s, the journal has it at %s", id, e.Position, held.Position)
		}
	}
	for id, err := range o.refused {
		if e, ok := events[id]; ok {
			tb.Fatalf("refused %s (%v) is in the journal at %s", id, err, e.Position)
		}
	}
	for id, e := range events {
		_, done := o.done[id]
		_, unknown := o.unknown[id]
		if !done && !unknown && e.Kind() != journal.KindIncarnationStarted {
			tb.Fatalf("nobody asked for %s at %s", id, e.Position)
		}
	}
}

// failures are what was answered that is neither done nor a conflict nor a key
// that is taken.
func (o *outcomes) failures() []error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var c *projections.Conflict
	refused := slices.DeleteFunc(slices.Collect(maps.Values(o.refused)), func(err error) bool {
		return errors.As(err, &c) || errors.Is(err, journal.ErrKeyTaken)
	})
	return slices.AppendSeq(refused, maps.Values(o.unknown))
}
