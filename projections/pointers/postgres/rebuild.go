package postgres

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// rebuilt is how many events of a rebuild are written together.
const rebuilt = 512

// Rebuild makes the tables of a warehouse anew of what a reader of its journal has, in one
// transaction: until all is there others read what was before, and who would write waits.
// An error leaves all as it was.
func (s *Store) Rebuild(ctx context.Context, warehouse uuid.UUID, from journal.Reader) error {
	t, err := s.begin(ctx, warehouse)
	if err != nil {
		return err
	}
	defer t.Rollback()
	if err := t.deleteRows(ctx, warehouse); err != nil {
		return err
	}
	events := make([]journal.Event, 0, rebuilt)
	for e, err := range from.Scan(ctx, 0) {
		if err != nil {
			return err
		}
		if events = append(events, e); len(events) == rebuilt {
			if err := t.write(ctx, warehouse, events); err != nil {
				return err
			}
			events = events[:0]
		}
	}
	if err := t.write(ctx, warehouse, events); err != nil {
		return err
	}
	return t.Commit()
}

// write applies events, and writes what they have changed.
func (t *tx) write(ctx context.Context, warehouse uuid.UUID, events []journal.Event) error {
	s, err := t.sheet(ctx, warehouse, events...)
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := s.apply(ctx, e); err != nil {
			return err
		}
	}
	delete(t.sheets, warehouse)
	var batch pgx.Batch
	s.queueAll(&batch)
	return t.on.Send(ctx, &batch)
}

// deleteRows empties the tables of a warehouse.
func (t *tx) deleteRows(ctx context.Context, warehouse uuid.UUID) error {
	var batch pgx.Batch
	for _, table := range tables[1:] {
		batch.Queue(`DELETE FROM `+table+` WHERE warehouse = $1`, warehouse)
	}
	return t.on.Send(ctx, &batch)
}
