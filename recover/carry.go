package recover

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"puddle/journal"
)

// Carry appends to a journal what an archive has of a warehouse and the journal lacks:
// the same events, with the same hashes, and their documents. So history goes on
// through what was lost. It is idempotent, and goes on where it was stopped. It answers
// how many events it appended.
func Carry(ctx context.Context, from journal.Histories, into journal.Journal, warehouse uuid.UUID) (carried int, err error) {
	all, err := from.Incarnations(ctx, warehouse)
	if err != nil {
		return 0, err
	}
	for _, i := range all {
		head, err := into.Warehouse(warehouse).Head(ctx)
		switch {
		case errors.Is(err, journal.ErrNoWarehouse):
		case err != nil:
			return carried, err
		case i.Head.Seq <= head.Seq, i.ID != head.Incarnation && i.First <= head.Seq:
			continue // it is there, or the journal went another way
		}
		n, err := carry(ctx, from.Incarnation(warehouse, i.ID), into, max(head.Seq, i.First-1))
		if carried += n; err != nil {
			return carried, fmt.Errorf("archive, incarnation %s: %w", i.ID, err)
		}
	}
	return carried, nil
}

// carry appends what an incarnation has after a seq. A crash leaves whole groups.
func carry(ctx context.Context, from journal.Reader, into journal.Writer, after journal.Seq) (carried int, err error) {
	entries, ok := from.(journal.Entries)
	if !ok {
		return 0, errors.New("its entries cannot be read")
	}
	var group []journal.Entry
	size := 0
	flush := func() error {
		if len(group) == 0 {
			return nil
		}
		err := into.Append(ctx, group...)
		if err == nil {
			carried += len(group)
		}
		group, size = nil, 0
		return err
	}
	for e, err := range entries.Entries(ctx, after) {
		if err != nil {
			return carried, errors.Join(err, flush())
		}
		if len(group) == journal.MaxGroupEntries || size+e.Size() > journal.MaxGroupBytes || builtOn(e, group) {
			if err := flush(); err != nil {
				return carried, err
			}
		}
		group, size = append(group, e), size+e.Size()
	}
	return carried, flush()
}

// builtOn tells whether a document of an entry is a patch on one of the group: a journal
// takes it in a later one only.
func builtOn(e journal.Entry, group []journal.Entry) bool {
	return slices.ContainsFunc(e.Documents, func(d journal.Document) bool {
		on, patch := d.On()
		return patch && len(group) > 0 && on.Seq >= group[0].Event.Seq
	})
}
