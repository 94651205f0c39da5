package projections

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"puddle/journal"
)

// State is the fold of one warehouse's events in memory: the model that every
// other projection must equal. It loses everything when the process ends. Make
// one with NewState.
type State struct {
	warehouse uuid.UUID
	turn      turn

	mu   sync.RWMutex
	held held // guarded by mu; a copy stays as it is
}

var (
	_ Warehouse = (*State)(nil)
	_ Loader    = (*State)(nil)
)

// NewState is the empty state of a warehouse.
func NewState(warehouse uuid.UUID) *State { return newState(warehouse, make(turn, 1)) }

// NewPresent is an empty state that keeps nothing of what happened, so that it takes
// memory as the warehouse has had objects, whatever became of them: to its History
// nothing ever happened.
func NewPresent(warehouse uuid.UUID) *State {
	s := NewState(warehouse)
	s.held.depth = noHistory
	return s
}

func newState(warehouse uuid.UUID, t turn) *State { return &State{warehouse: warehouse, turn: t} }

// Name is "state".
func (s *State) Name() string { return "state" }

// Cursor is the position of the last event applied.
func (s *State) Cursor(ctx context.Context) (journal.Position, error) {
	return s.now().cursor, ctx.Err()
}

// Apply folds events, all or none.
func (s *State) Apply(ctx context.Context, events ...journal.Event) error {
	if err := s.turn.take(ctx); err != nil {
		return err
	}
	defer s.turn.give()
	f := begun(s.warehouse, s.now())
	if err := f.Apply(ctx, events...); err != nil {
		return err
	}
	s.publish(f.done())
	return nil
}

// Reset forgets everything.
func (s *State) Reset(ctx context.Context) error {
	if err := s.turn.take(ctx); err != nil {
		return err
	}
	defer s.turn.give()
	s.publish(held{depth: s.now().depth})
	return nil
}

// now is what is held at this moment. It never changes afterwards.
func (s *State) now() held {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.held
}

func (s *State) publish(next held) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = next
}

// turn is who may write: whoever could put something in.
type turn chan struct{}

func (t turn) take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) give() { <-t }
