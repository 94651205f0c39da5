package recover

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
)

// PlanHistory plans the recovery of a warehouse from its events, up to and with the
// one at until (0: all): the namespaces and objects that they leave, with their
// pointers, and those that were dropped, all of it proven. It reads no storage but what from reads; see
// [Plan.NoteMissing]. An until after the last event, and an empty history, are errors:
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

// NoteMissing looks for the files of the pointers of a plan, and warns of those that
// are not there, are of another size, or cannot be looked at. It reads none of them.
// The error is that of ctx.
func (p *Plan) NoteMissing(ctx context.Context, roots warehouse.Roots) error {
	next := make(chan *PlannedObject)
	var wait sync.WaitGroup
	for range parallel {
		wait.Go(func() {
			for o := range next {
				if warning := missing(ctx, roots, o.Pointer); warning != "" {
					o.Warnings = append(o.Warnings, warning)
				}
			}
		})
	}
	for i := range p.Objects {
		if p.Objects[i].Outcome == Recovered && ctx.Err() == nil {
			next <- &p.Objects[i]
		}
	}
	close(next)
	wait.Wait()
	return ctx.Err()
}

func missing(ctx context.Context, roots warehouse.Roots, at journal.Pointer) string {
	root, key, err := roots.Resolve(at.MetadataLocation)
	if err != nil {
		return "its metadata file cannot be looked for: " + oneLine(err)
	}
	info, err := root.Store.Stat(ctx, key)
	switch {
	case errors.Is(err, warehouse.ErrNotFound):
		return "its metadata file is missing"
	case err != nil:
		return "its metadata file cannot be looked for: " + oneLine(err)
	case info.Size != at.Size:
		return fmt.Sprintf("its metadata file has %d bytes, %d were committed", info.Size, at.Size)
	}
	return ""
}
