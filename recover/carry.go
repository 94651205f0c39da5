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
		n, err := appendChained(ctx, from, into, group)
		carried += n
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

// appendChained appends a group. A patch that is built on what the journal has in another
// form, or has no more, since one of the two was compacted, is kept whole instead.
func appendChained(ctx context.Context, from journal.Reader, into journal.Writer, group []journal.Entry) (appended int, err error) {
	err = into.Append(ctx, group...)
	switch {
	case err == nil:
		return len(group), nil
	case !errors.Is(err, journal.ErrNoBase):
		return 0, err
	case len(group) == 1:
		e, err := withoutPatches(ctx, from, group[0])
		if err == nil {
			err = into.Append(ctx, e)
		}
		if err != nil {
			return 0, err
		}
		return 1, nil
	}
	half := len(group) / 2 // nothing of it was appended: whose document it is is found by halves
	if appended, err = appendChained(ctx, from, into, group[:half]); err != nil {
		return appended, err
	}
	n, err := appendChained(ctx, from, into, group[half:])
	return appended + n, err
}

// withoutPatches is an entry whose documents are whole. One that is too large for that,
// or cannot be made, is not kept.
func withoutPatches(ctx context.Context, from journal.Reader, e journal.Entry) (journal.Entry, error) {
	var kept []journal.Document
	for _, d := range e.Documents {
		if _, patched := d.On(); patched {
			plain, err := from.Document(ctx, e.Event.Seq, d.Move)
			var damage *journal.Damage
			switch {
			case errors.As(err, &damage), journal.NotKept(err):
				continue
			case err != nil:
				return e, err
			}
			whole, ok := journal.KeepDocument(d.Move, plain, journal.MaxDocumentBytes)
			if !ok {
				continue
			}
			d = whole
		}
		kept = append(kept, d)
	}
	e.Documents = kept
	return e, nil
}

// builtOn tells whether a document of an entry is a patch on one of the group: a journal
// takes it in a later one only.
func builtOn(e journal.Entry, group []journal.Entry) bool {
	return slices.ContainsFunc(e.Documents, func(d journal.Document) bool {
		on, patch := d.On()
		return patch && len(group) > 0 && on.Seq >= group[0].Event.Seq
	})
}
