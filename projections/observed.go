package projections

import (
	"context"

	"puddle/journal"
)

// Observed is a projection as it is that says which events were applied to it, a load's too
// before it is committed: some at a time, from the goroutine that applies them.
func Observed(p Projection, applied func(events []journal.Event)) Projection {
	return observed{p, applied}
}

type observed struct {
	Projection
	applied func([]journal.Event)
}

// Apply implements Projection.
func (o observed) Apply(ctx context.Context, events ...journal.Event) error {
	return o.tell(events, o.Projection.Apply(ctx, events...))
}

func (o observed) tell(events []journal.Event, err error) error {
	if err == nil && len(events) > 0 {
		o.applied(events)
	}
	return err
}

// Load implements Loader.
func (o observed) Load(ctx context.Context) (Load, error) {
	load, err := BeginLoad(ctx, o.Projection)
	return observedLoad{load, o}, err
}

type observedLoad struct {
	Load
	of observed
}

// Apply implements Load.
func (l observedLoad) Apply(ctx context.Context, events ...journal.Event) error {
	return l.of.tell(events, l.Load.Apply(ctx, events...))
}
