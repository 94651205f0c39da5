package projections

import (
	"context"

	"github.com/google/uuid"

	"puddle/journal"
)

// folding is a state in the making, that nobody reads yet. One goroutine uses it. After
// an error of Apply it is worthless.
type folding struct {
	warehouse uuid.UUID
	held      held
	failed    bool
}

var _ Projection = (*folding)(nil)

// begun goes on from what is held, which stays as it is.
func begun(warehouse uuid.UUID, from held) *folding {
	from.own()
	return &folding{warehouse: warehouse, held: from}
}

// done is what is held now. What is folded afterwards is not seen in it.
func (f *folding) done() held {
	kept := f.held
	kept.share()
	f.held.own()
	return kept
}

// Name is that of a State.
func (f *folding) Name() string { return "state" }

// Cursor is the position of the last event folded.
func (f *folding) Cursor(ctx context.Context) (journal.Position, error) {
	return f.held.cursor, ctx.Err()
}

// Apply folds events.
func (f *folding) Apply(ctx context.Context, events ...journal.Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, e := range events {
		if err := f.held.apply(f.warehouse, e); err != nil {
			f.failed = true
			return err
		}
	}
	return nil
}

// Reset forgets everything.
func (f *folding) Reset(ctx context.Context) error {
	f.held, f.failed = held{depth: f.held.depth}, false
	f.held.own()
	return ctx.Err()
}

// stateLoad is the load of a State: it has its turn until it ends.
type stateLoad struct {
	*folding
	of   *State
	over bool
}

// Load folds without a copy for each batch.
func (s *State) Load(ctx context.Context) (Load, error) {
	if err := s.turn.take(ctx); err != nil {
		return nil, err
	}
	return &stateLoad{folding: begun(s.warehouse, s.now()), of: s}, nil
}

// Apply folds the next events.
func (l *stateLoad) Apply(ctx context.Context, events ...journal.Event) error {
	if l.over {
		return ErrTxOver
	}
	return l.folding.Apply(ctx, events...)
}

// Commit publishes what was folded.
func (l *stateLoad) Commit(context.Context) error {
	if l.over || l.failed {
		return ErrTxOver
	}
	l.of.publish(l.done())
	return l.Rollback()
}

// Rollback ends the load.
func (l *stateLoad) Rollback() error {
	if !l.over {
		l.over = true
		l.of.turn.give()
	}
	return nil
}
