package recover

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// history is what the journal says of one warehouse.
type history struct {
	id       uuid.UUID
	name     string
	location string
	newborn  bool // nothing has happened since its birth
}

// histories reads the start of every warehouse's history.
func histories(ctx context.Context, j journal.Journal) ([]history, error) {
	ids, err := j.Warehouses(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]history, len(ids))
	for i, id := range ids {
		if all[i], err = readHistory(ctx, id, j.Warehouse(id)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func readHistory(ctx context.Context, id uuid.UUID, from journal.Reader) (history, error) {
	head, err := from.Head(ctx)
	if err != nil {
		return history{}, err
	}
	for e, err := range from.Scan(ctx, 0) {
		if err != nil {
			return history{}, err
		}
		start, ok := e.Body.(journal.IncarnationStarted)
		if !ok {
			return history{}, fmt.Errorf("the history of warehouse %s begins with %s, not with %s", id, e.Kind(), journal.KindIncarnationStarted)
		}
		newborn := start.Parent == nil && e.Position == head
		return history{id: id, name: start.Name, location: start.Location, newborn: newborn}, nil
	}
	return history{}, fmt.Errorf("%w: warehouse %s has a head and no events", journal.ErrNoEvent, id)
}

// find is the first history that fits, or nil.
func find(all []history, fits func(history) bool) *history {
	for i := range all {
		if fits(all[i]) {
			return &all[i]
		}
	}
	return nil
}

// sameLocation tells whether two storage URLs name the same place.
func sameLocation(a, b string) bool {
	left, errLeft := warehouse.ParseLocation(a)
	right, errRight := warehouse.ParseLocation(b)
	if errLeft != nil || errRight != nil {
		return a == b
	}
	return left == right
}
