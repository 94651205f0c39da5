package recorder

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// loadChains reads where the histories end, and when the newest event in them
// was dated by the raw clock.
func loadChains(ctx context.Context, j journal.Journal, s projections.Store) (map[uuid.UUID]journal.Chain, time.Time, error) {
	var newest time.Time
	ids, err := j.Warehouses(ctx)
	if err != nil {
		return nil, newest, err
	}
	chains := make(map[uuid.UUID]journal.Chain, len(ids))
	for _, id := range ids {
		last, err := lastEvent(ctx, j.Warehouse(id))
		if err != nil {
			return nil, newest, err
		}
		cursor, err := s.Warehouse(id).Cursor(ctx)
		if err != nil {
			return nil, newest, err
		}
		if err := compare(cursor, last.Position); err != nil {
			return nil, newest, fmt.Errorf("warehouse %s: %w", id, err)
		}
		chains[id] = journal.ChainAt(last)
		if last.Wall.After(newest) {
			newest = last.Wall
		}
	}
	return chains, newest, nil
}

func lastEvent(ctx context.Context, from journal.Reader) (journal.Event, error) {
	for e, err := range from.ScanBack(ctx, 0) {
		return e, err
	}
	return journal.Event{}, journal.ErrNoWarehouse
}

// compare tells how a cursor differs from the journal's head.
func compare(cursor, head journal.Position) error {
	switch {
	case cursor == head:
		return nil
	case cursor.IsZero() || cursor.Incarnation == head.Incarnation && cursor.Seq < head.Seq:
		return fmt.Errorf("%w: they stand at %s, the journal ends at %s", ErrBehind, cursor, head)
	case cursor.Incarnation == head.Incarnation && cursor.Seq > head.Seq:
		return fmt.Errorf("%w: it stands at %s, the journal ends at %s", projections.ErrAhead, cursor, head)
	}
	return fmt.Errorf("%w: it stands at %s, the journal ends at %s", projections.ErrDiverged, cursor, head)
}
