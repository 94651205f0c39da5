package recover

import (
	"context"
	"fmt"
	"iter"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// PlanHistory plans the recovery of a warehouse from its events, up to and with the
// one at until (0: all): the namespaces and objects that they leave, with their
// pointers, and those that were dropped, all of it proven. It reads no storage but what
// from reads; see [Plan.WriteMissing]. An until after the last event, and an empty history, are errors:
// journal.ErrNoEvent.
func PlanHistory(ctx context.Context, name string, from journal.Reader, until journal.Seq, source Source) (Plan, error) {
	id, err := warehouseOf(ctx, from)
	if err != nil {
		return Plan{}, err
	}
	head, err := from.Head(ctx)
	if err != nil {
		return Plan{}, err
	}
	if until > head.Seq {
		return Plan{}, fmt.Errorf("%w: seq %d, the history of %s ends at %d", journal.ErrNoEvent, until, name, head.Seq)
	}
	state, counted := projections.NewPresent(id), &countedReader{Reader: from, until: until}
	if err := projections.CatchUp(ctx, counted, until, state); err != nil {
		return Plan{}, err
	}
	plan := Plan{Warehouse: name, From: source, EventsReplayed: counted.events}
	moment, err := state.Moment(ctx)
	if err != nil {
		return Plan{}, err
	}
	defer moment.Close()
	for n, err := range moment.Namespaces() {
		if err != nil {
			return Plan{}, err
		}
		plan.Namespaces = append(plan.Namespaces, PlannedNamespace{Name: n.Name, ID: n.ID, Properties: n.Properties, From: string(source)})
	}
	for o, err := range moment.Objects() {
		if err != nil {
			return Plan{}, err
		}
		plan.Objects = append(plan.Objects, planHeld(o, Evidence(source)))
	}
	plan.order()
	return plan, nil
}

func warehouseOf(ctx context.Context, from journal.Reader) (uuid.UUID, error) {
	for e, err := range from.Scan(ctx, 0) {
		return e.Warehouse, err
	}
	return uuid.Nil, fmt.Errorf("%w: the history is empty", journal.ErrNoEvent)
}

// countedReader counts the events that are read.
type countedReader struct {
	journal.Reader
	until  journal.Seq
	events int
}

// Scan counts those up to until.
func (c *countedReader) Scan(ctx context.Context, after journal.Seq) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for e, err := range c.Reader.Scan(ctx, after) {
			if err == nil && (c.until == 0 || e.Seq <= c.until) {
				c.events++
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
