package recorder

import (
	"context"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// Memory is the Database of tests and of servers that keep nothing: a journal and
// pointer tables in memory, one turn at a time. It is lost with the process; any number
// of recorders may share it. Make one with NewMemory.
type Memory struct {
	journal *journal.Memory
	tables  *projections.Memory
	clock   Clock
}

var _ Database = (*Memory)(nil)

// NewMemory is a database without warehouses, whose turns are dated by a clock.
func NewMemory(clock Clock) *Memory {
	return &Memory{journal.NewMemory(), projections.NewMemory(), clock}
}

// Journal is what the turns append to. The births of warehouses go into it, and
// projections.CatchUp then brings the tables up; until that Begin is refused with
// ErrBehind. When it is closed Begin answers journal.ErrClosed.
func (m *Memory) Journal() journal.Journal { return m.journal }

// Warehouses are those in the journal.
func (m *Memory) Warehouses(ctx context.Context) ([]uuid.UUID, error) {
	return m.journal.Warehouses(ctx)
}

// Warehouse is its part of the tables.
func (m *Memory) Warehouse(id uuid.UUID) projections.Warehouse { return m.tables.Warehouse(id) }

// Begin waits until no other turn is under way, of any warehouse.
func (m *Memory) Begin(ctx context.Context, warehouse uuid.UUID, _ []journal.Draft, _ []journal.Request) (Turn, error) {
	tx, err := m.tables.Begin(ctx)
	if err != nil {
		return nil, err
	}
	t := &memoryTurn{of: m, warehouse: warehouse, tx: tx}
	if err := t.read(ctx); err != nil {
		t.Rollback()
		return nil, err
	}
	return t, nil
}
