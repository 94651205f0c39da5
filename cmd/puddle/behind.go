package main

import (
	"context"
	"errors"
	"fmt"

	"puddle/journal"
	"puddle/projections/anchor"
	"puddle/projections/archive"
	"puddle/recover"
	"puddle/rest/catalog"
)

// asOfBackup tells whether a warehouse that is refused is one whose journal was put
// back from a backup: it ends before the anchor, at an event of its own archive. Such
// a one is served read only, as of that event, until a recovery says where it goes on.
// Nothing of it is written meanwhile: what lies in the warehouse is the evidence.
func (n *node) asOfBackup(ctx context.Context, w *warehouse, b recover.Binder, refused error) (bool, error) {
	if n.purpose != serving && n.purpose != reporting || !errors.Is(refused, anchor.ErrRolledBack) {
		return false, nil
	}
	id, err := b.Judge(ctx, w.bound())
	if err != nil {
		return false, err
	}
	kept, err := archive.Open(ctx, w.roots[0].Store)
	if err != nil {
		return false, nil // it proves nothing
	}
	head, err := n.journal.Warehouse(id).Head(ctx)
	if err != nil {
		return false, err
	}
	for e, err := range journal.Lineage(kept, id).Scan(ctx, head.Seq-1) {
		if err != nil || e.Position != head {
			return false, nil // it is of another history, or proves nothing
		}
		break
	}
	end, err := kept.Warehouse(id).Head(ctx)
	if err != nil || end.Seq <= head.Seq {
		return false, nil
	}
	w.id = id
	w.behind = fmt.Errorf("the catalog of warehouse %s is read only, as of %s: its journal is behind its archive, which ends at %s; "+
		"stop the server and run puddle recover --warehouse %s --from archive, which goes on from there, or --at seq:%s, which stays here",
		w.Name, head, end, w.Name, head.Seq)
	n.log.Error().Str("warehouse", w.Name).Err(w.behind).Msg("read only")
	return true, nil
}

// bound is the warehouse as recovery knows it.
func (w *warehouse) bound() recover.Warehouse {
	return recover.Warehouse{Name: w.Name, Location: w.Root.URL, Store: w.roots[0].Store}
}

// readOnly is the recorder of a catalog that takes no changes.
type readOnly struct{ reason error }

// Record refuses.
func (r readOnly) Record(context.Context, journal.Draft) (journal.Event, error) {
	return journal.Event{}, &catalog.Error{Code: catalog.Unavailable, Message: "The change was not made: " + r.reason.Error(), Err: r.reason}
}
