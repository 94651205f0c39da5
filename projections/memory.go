package projections

import (
	"context"
	"errors"
	"sync"

	"github.com/google/uuid"

	"puddle/journal"
)

// ErrTxOver: the transaction was committed or rolled back.
var ErrTxOver = errors.New("transaction is over")

// Memory is the Store that keeps nothing: a State for each warehouse. Make one
// with NewMemory.
type Memory struct {
	turn turn // of all its States: one writer at a time

	mu     sync.Mutex
	states map[uuid.UUID]*State // guarded by mu
}

var _ Store = (*Memory)(nil)

// NewMemory is a store without warehouses.
func NewMemory() *Memory {
	return &Memory{turn: make(turn, 1), states: map[uuid.UUID]*State{}}
}

// Warehouse is the State of one.
func (m *Memory) Warehouse(id uuid.UUID) Warehouse { return m.state(id) }

func (m *Memory) state(id uuid.UUID) *State {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.states[id]
	if !ok {
		s = newState(id, m.turn)
		m.states[id] = s
	}
	return s
}

// Begin waits until no other transaction is open.
func (m *Memory) Begin(ctx context.Context) (Tx, error) {
	if err := m.turn.take(ctx); err != nil {
		return nil, err
	}
	return &memoryTx{store: m, next: map[uuid.UUID]held{}}, nil
}

// Close has nothing to give back.
func (m *Memory) Close() error { return nil }

// memoryTx holds what the States will hold. One goroutine uses it.
type memoryTx struct {
	store *Memory
	next  map[uuid.UUID]held
	over  bool
}

// Apply tries the event on a copy.
func (t *memoryTx) Apply(ctx context.Context, e journal.Event) error {
	if t.over {
		return ErrTxOver
	}
	err := ctx.Err()
	if err == nil {
		err = t.try(e)
	}
	var conflict *Conflict
	if err != nil && !errors.As(err, &conflict) {
		t.end()
	}
	return err
}

func (t *memoryTx) try(e journal.Event) error {
	next, ok := t.next[e.Warehouse]
	if !ok {
		next = t.store.state(e.Warehouse).now()
	}
	if err := next.apply(e.Warehouse, e); err != nil {
		return err
	}
	t.next[e.Warehouse] = next
	return nil
}

// Commit shows the States what was applied.
func (t *memoryTx) Commit() error {
	if t.over {
		return ErrTxOver
	}
	for id, next := range t.next {
		t.store.state(id).publish(next)
	}
	t.end()
	return nil
}

// Rollback leaves the States as they are.
func (t *memoryTx) Rollback() error {
	if !t.over {
		t.end()
	}
	return nil
}

func (t *memoryTx) end() {
	t.over = true
	t.store.turn.give()
}
