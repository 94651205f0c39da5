package recordertest

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

// Outcomes is what Record answered, by id.
type Outcomes struct {
	mu      sync.Mutex
	Done    map[uuid.UUID]journal.Event
	Refused map[uuid.UUID]error
	Unknown map[uuid.UUID]error
	broken  []string // promises
	keys    keys
}

// NewOutcomes has heard nothing yet.
func NewOutcomes() *Outcomes {
	return &Outcomes{
		Done: map[uuid.UUID]journal.Event{}, Refused: map[uuid.UUID]error{}, Unknown: map[uuid.UUID]error{}, keys: newKeys(),
	}
}

// Tries implements Watcher.
func (o *Outcomes) Tries(uuid.UUID) {}

// Hears implements Watcher.
func (o *Outcomes) Hears(id uuid.UUID, e journal.Event, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err == nil:
		o.Done[id] = e
		delete(o.Refused, id) // an earlier try
	case errors.Is(err, journal.ErrUnknownOutcome):
		o.Unknown[id] = err
		delete(o.Refused, id)
	case o.Unknown[id] != nil || o.Done[id].Body != nil:
		// tried again: that this try did nothing says nothing of the first
	default:
		o.Refused[id] = err
	}
}

// Complains implements Watcher.
func (o *Outcomes) Complains(promise string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.broken = append(o.broken, promise)
}

// Check compares the answers with the events that are in the journal.
func (o *Outcomes) Check(tb rapid.TB, events map[uuid.UUID]journal.Event) {
	tb.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.broken) > 0 {
		tb.Fatalf("broken promises: %q", o.broken)
	}
	for id, e := range o.Done {
		if held, ok := events[id]; !ok || held.Position != e.Position {
			tb.Fatalf("acknowledged %s at %s, the journal has it at %s", id, e.Position, held.Position)
		}
	}
	for id, err := range o.Refused {
		if e, ok := events[id]; ok {
			tb.Fatalf("refused %s (%v) is in the journal at %s", id, err, e.Position)
		}
	}
	for id, e := range events {
		_, done := o.Done[id]
		_, unknown := o.Unknown[id]
		if !done && !unknown && e.Kind() != journal.KindIncarnationStarted {
			tb.Fatalf("nobody asked for %s at %s", id, e.Position)
		}
	}
}

// Failures are what was answered that is neither done nor a conflict nor a key
// that is taken.
func (o *Outcomes) Failures() []error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var c *projections.Conflict
	refused := slices.DeleteFunc(slices.Collect(maps.Values(o.Refused)), func(err error) bool {
		return errors.As(err, &c) || errors.Is(err, journal.ErrKeyTaken)
	})
	return slices.AppendSeq(refused, maps.Values(o.Unknown))
}
