package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"puddle/projections"
)

// PurgesOf are the last purges of tables that were not cancelled, pending or done, by
// table, with what was applied. What was not read ahead is asked for at once.
func (t *Turn) PurgesOf(ctx context.Context, tables ...uuid.UUID) (map[uuid.UUID]projections.Purge, error) {
	if t.failed != nil {
		return nil, t.failed
	}
	t.sheet.ctx = ctx
	if err := t.sheet.fetch(needs{purges: tables}); err != nil {
		return nil, t.fail(err)
	}
	purges := map[uuid.UUID]projections.Purge{}
	for _, table := range tables {
		if p, _ := t.sheet.purges.get(table); p != nil {
			purges[table] = *p
		}
	}
	return purges, nil
}

// PlaceHolder is as in projections.Reader, with what was applied.
func (t *Turn) PlaceHolder(ctx context.Context, path string, except uuid.UUID) (uuid.UUID, bool, error) {
	if t.failed != nil {
		return uuid.Nil, false, t.failed
	}
	t.sheet.ctx = ctx
	holder, held, err := t.sheet.PlaceHolder(path, except)
	if err != nil {
		return uuid.Nil, false, t.fail(err)
	}
	return holder, held, nil
}

// fail is that the turn can only be rolled back.
func (t *Turn) fail(err error) error {
	t.failed = fmt.Errorf("%w: %w", projections.ErrTxOver, err)
	return err
}
