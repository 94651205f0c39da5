package projections

import (
	"context"

	"puddle/journal"
)

// Loader is a Projection that is built from nothing faster than by Apply.
type Loader interface {
	// Load begins to build an empty projection, one whose cursor is zero, and
	// forgets what a load that did not finish has left. Nobody else writes to it
	// until the load ends.
	Load(ctx context.Context) (Load, error)
}

// Load builds a projection. Until it is committed the cursor is zero, so that a
// load that ends before is started anew. One goroutine uses it.
type Load interface {
	// Apply takes the next events, by the rules of Projection.Apply. After an
	// error nothing is left but to roll it back.
	Apply(ctx context.Context, events ...journal.Event) error
	// Commit makes all that was applied, and the cursor, visible.
	Commit(ctx context.Context) error
	// Rollback ends a load that is not committed; after Commit it is a no-op.
	Rollback() error
}

// BeginLoad begins to build an empty projection in the way that it knows.
func BeginLoad(ctx context.Context, p Projection) (Load, error) {
	if l, ok := p.(Loader); ok {
		return l.Load(ctx)
	}
	return byApply{p}, nil
}

// byApply is the load of a projection that knows no other way than Apply.
type byApply struct{ Projection }

func (byApply) Commit(context.Context) error { return nil }

func (byApply) Rollback() error { return nil }
