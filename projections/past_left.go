package projections

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"

	"puddle/journal"
)

// Left is what was true in the incarnations of a warehouse that recoveries have left:
// each has a past of its own. It keeps the one that was asked for last. Safe for
// concurrent use. Make one with NewLeft.
type Left struct {
	warehouse uuid.UUID
	of        journal.Histories

	mu          sync.Mutex
	incarnation uuid.UUID // guarded by mu
	past        *Past     // guarded by mu: of that incarnation
}

// NewLeft is for a warehouse, of whatever histories are held.
func NewLeft(warehouse uuid.UUID, of journal.Histories) *Left {
	return &Left{warehouse: warehouse, of: of}
}

// Past is the line of an incarnation and what was true on it; journal.ErrNoWarehouse
// when the incarnation is not held.
func (l *Left) Past(ctx context.Context, incarnation uuid.UUID) (journal.Reader, *Past, error) {
	all, err := l.of.Incarnations(ctx, l.warehouse)
	if err != nil {
		return nil, nil, err
	}
	if !slices.ContainsFunc(all, func(i journal.Incarnation) bool { return i.ID == incarnation }) {
		return nil, nil, fmt.Errorf("%w: incarnation %s", journal.ErrNoWarehouse, incarnation)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	from := journal.LineageOf(l.of, l.warehouse, incarnation)
	if l.incarnation != incarnation || l.past == nil {
		l.incarnation, l.past = incarnation, NewPast(l.warehouse, from, scanned{from})
	}
	return from, l.past, nil
}

// scanned finds steps by reading all events: what was left is in no tables.
type scanned struct{ from journal.Reader }

// Steps reads the history from its beginning.
func (s scanned) Steps(ctx context.Context, object uuid.UUID) (steps []Step, err error) {
	for e, err := range s.from.Scan(ctx, 0) {
		if err != nil {
			return nil, err
		}
		for _, m := range e.Moves() {
			if m.UUID == object {
				steps = append(steps, StepOf(e, m))
			}
		}
		old, _ := e.Body.(journal.HistoryImported)
		for _, step := range old.Steps {
			if step.Move.UUID == object {
				steps = append(steps, StepOfImport(step))
			}
		}
	}
	return steps, nil
}
