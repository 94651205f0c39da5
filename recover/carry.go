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
	return carryTo(ctx, from, into, warehouse)
}

// carryTo carries, and appends an end in one group with the last event: a journal that
// has all of an archive, and not the end, never exists.
func carryTo(ctx context.Context, from journal.Histories, into journal.Journal, warehouse uuid.UUID, end ...journal.Entry) (int, error) {
	all, err := from.Incarnations(ctx, warehouse)
	if err != nil {
		return 0, err
	}
	c := &carrier{into: into}
	for _, i := range all {
		if err := c.flush(ctx); err != nil {
			return c.carried, err
		}
		head, err := into.Warehouse(warehouse).Head(ctx)
		switch {
		case errors.Is(err, journal.ErrNoWarehouse):
		case err != nil:
			return c.carried, err
		case i.Head.Seq <= head.Seq, i.ID != head.Incarnation && i.First <= head.Seq:
			continue // it is there, or the journal went another way
		}
		c.from = from.Incarnation(warehouse, i.ID)
		if err := c.read(ctx, max(head.Seq, i.First-1)); err != nil {
			return c.carried, fmt.Errorf("archive, incarnation %s: %w", i.ID, err)
		}
	}
	return c.carried, c.flush(ctx, end...)
}

// carrier appends group by group. A crash leaves whole groups.
type carrier struct {
	from    journal.Reader
	into    journal.Writer
	group   []journal.Entry // not appended yet
	size    int             // of it, in bytes
	carried int
}

// read appends what an incarnation has after a seq, but for the last group.
func (c *carrier) read(ctx context.Context, after journal.Seq) error {
	entries, ok := c.from.(journal.Entries)
	if !ok {
		return errors.New("its entries cannot be read")
	}
	for e, err := range entries.Entries(ctx, after) {
		if err != nil {
			return errors.Join(err, c.flush(ctx))
		}
		// One more entry has a place in each group: an end.
		if len(c.group)+1 == journal.MaxGroupEntries || c.size+e.Size() > journal.MaxGroupBytes-maxEnd || builtOn(e, c.group) {
			if err := c.flush(ctx); err != nil {
				return err
			}
		}
		c.group, c.size = append(c.group, e), c.size+e.Size()
	}
	return nil
}

// maxEnd is more than the start of an incarnation takes.
const maxEnd = 64 << 10

// flush appends what is not appended yet, and an end.
func (c *carrier) flush(ctx context.Context, end ...journal.Entry) error {
	group := c.group
	c.group, c.size = nil, 0
	if len(group)+len(end) == 0 {
		return nil
	}
	n, err := appendChained(ctx, c.from, c.into, group, end...)
	c.carried += n
	return err
}

// appendChained appends a group and an end. A patch that is built on what the journal has
// in another form, or has no more, since one of the two was compacted, is kept whole
// instead.
func appendChained(ctx context.Context, from journal.Reader, into journal.Writer, group []journal.Entry, end ...journal.Entry) (appended int, err error) {
	err = into.Append(ctx, slices.Concat(group, end)...)
	switch {
	case err == nil:
		return len(group), nil
	case !errors.Is(err, journal.ErrNoBase):
		return 0, err
	case len(group) == 1:
		e, err := withoutPatches(ctx, from, group[0])
		if err == nil {
			err = into.Append(ctx, append([]journal.Entry{e}, end...)...)
		}
		if err != nil {
			return 0, err
		}
		return 1, nil
	}
	half := len(group) / 2 // nothing of it was appended; which document it was, halves tell
	if appended, err = appendChained(ctx, from, into, group[:half]); err != nil {
		return appended, err
	}
	n, err := appendChained(ctx, from, into, group[half:], end...)
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
