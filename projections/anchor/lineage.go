package anchor

import (
	"context"
	"errors"
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
