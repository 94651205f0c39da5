package anchor

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"puddle/journal"
)

// CheckLineage is Check against all histories of a warehouse. An anchor that was
// written of an earlier incarnation of the lineage is right: where that one ends was
// decided when the next was begun.
func (h Head) CheckLineage(ctx context.Context, of journal.Histories, warehouse uuid.UUID) error {
	err := h.Check(ctx, of.Warehouse(warehouse))
	if !errors.Is(err, ErrOtherHistory) {
		return err
	}
	all, lookErr := of.Incarnations(ctx, warehouse)
	if lookErr != nil {
		return lookErr
	}
	at := slices.IndexFunc(all, func(i journal.Incarnation) bool { return i.Current })
	for at >= 0 && all[at].Parent != nil {
		parent := all[at].Parent.Incarnation
		if parent == h.Incarnation && h.Seq < all[at].First {
			return nil
		}
		at = slices.IndexFunc(all, func(i journal.Incarnation) bool { return i.ID == parent })
	}
	return err
}

// CheckBeside judges what a warehouse names that a journal writes: an incarnation, and a
// seq in it. One that the journal does not hold, at a seq that its own could have, is of
// another catalog, which has gone on in the same warehouse: ErrOtherHistory. What comes
// before the current incarnation is of a past that a recovery has left. The journal is
// asked anew, so that what another process has begun in it is none. Nil before birth.
func CheckBeside(ctx context.Context, of journal.Histories, warehouse, incarnation uuid.UUID, seq journal.Seq) error {
	all, err := of.Incarnations(ctx, warehouse)
	if err != nil {
		return err
	}
	for _, i := range all {
		if i.ID == incarnation {
			return nil
		}
	}
	at := slices.IndexFunc(all, func(i journal.Incarnation) bool { return i.Current })
	if at < 0 || seq < all[at].First {
		return nil
	}
	return fmt.Errorf("%w: the warehouse names %s:%d, the journal ends at %s and has no such incarnation", ErrOtherHistory, incarnation, seq, all[at].Head)
}
