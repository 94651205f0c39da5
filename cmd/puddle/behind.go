package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	"puddle/projections/anchor"
	"puddle/projections/archive"
	"puddle/recover"
	"puddle/rest/catalog"
)

// besideArchive looks whether a warehouse that would be bound, or was refused, goes on
// beside its archive. One whose journal ends before that, at an event that the archive has
// too, was put back from a backup: it is served read only, as of that event, until a
// recovery says where it goes on. Nothing of it is written meanwhile: what lies in the
// warehouse is the evidence. One with another history than the archive is refused. An
// archive that cannot be read says nothing; its follower tells of it.
func (n *node) besideArchive(ctx context.Context, w *warehouse, b recover.Binder, bound recover.Bound, refused error) error {
	anchored := errors.Is(refused, anchor.ErrRolledBack) || errors.Is(refused, anchor.ErrOtherHistory)
	if n.config.Metastore.Type == config.Memory || bound.Born || refused != nil && !anchored {
		return refused
	}
	id := bound.ID
	if refused != nil {
		judged, err := b.Judge(ctx, w.bound())
		if err != nil {
			return err
		}
		id = judged
	}
	why := archive.Compare(ctx, w.roots[0].Store, id, n.journal)
	head, err := n.journal.Warehouse(id).Head(ctx)
	switch {
	case err != nil:
		return err
	case errors.Is(why, archive.ErrSecondWriter):
		return branched(w, head, n.journalName(), why)
	case !errors.Is(why, archive.ErrAhead), errors.Is(refused, anchor.ErrOtherHistory):
		return refused
	case n.purpose != serving && n.purpose != reporting:
		if refused == nil {
			refused = &recover.Refusal{Warehouse: w.Name, Reason: why.Error(), Command: "puddle recover --warehouse " + w.Name, Err: why}
		}
		return refused
	}
	return n.asOfBackup(ctx, w, id, head)
}

// stray refuses pointer tables without a journal. Where a warehouse knows of more than
// they do it does not name them as what to recover from.
func (n *node) stray(ctx context.Context) error {
	tables, ok := n.tables.(recover.Lister)
	if !ok {
		return nil
	}
	err := recover.Stray(ctx, n.journal, tables)
	var refused *recover.Refusal
	if !errors.As(err, &refused) {
		return err
	}
	for _, w := range n.warehouses {
		if later := n.laterThanTables(ctx, w); later != "" {
			refused.Reason += fmt.Sprintf("; they are behind warehouse %s: %s", w.Name, later)
			refused.Command = "puddle recover"
		}
	}
	return refused
}

// laterThanTables says what a warehouse knows that is after its pointer tables. What
// cannot be looked at says nothing: the recovery tells of it.
func (n *node) laterThanTables(ctx context.Context, w *warehouse) string {
	seen, err := recover.Look(ctx, w.bound(), n.journal, nil, uuid.Nil)
	if err != nil {
		return ""
	}
	cursor, err := n.tables.Warehouse(seen.ID).Cursor(ctx)
	if err != nil || cursor.IsZero() {
		return ""
	}
	if end, found, err := archive.Head(ctx, w.roots[0].Store); err == nil && found {
		seen.Says(recover.TheArchive, end)
	}
	return strings.Join(seen.Later(cursor), ", ")
}

// branched refuses a warehouse whose journal and archive have different histories.
func branched(w *warehouse, head journal.Position, journal string, why error) error {
	return &recover.Refusal{Warehouse: w.Name, Err: why, Reason: fmt.Sprintf("%v. Two catalogs have written it, or one was put back from a copy and went on; nothing was changed", why),
		Command: fmt.Sprintf("puddle recover --warehouse %s --at seq:%s, to go on with the journal, as a new incarnation; or move %s away and run puddle recover --warehouse %s --from archive, to go on with the archive",
			w.Name, head.Seq, journal, w.Name)}
}

// asOfBackup has a warehouse served as of the end of its journal.
func (n *node) asOfBackup(ctx context.Context, w *warehouse, id uuid.UUID, head journal.Position) error {
	end, _, err := archive.Head(ctx, w.roots[0].Store)
	if err != nil {
		return err
	}
	w.id = id
	w.behind = fmt.Errorf("the catalog of warehouse %s is read only, as of %s: its journal is behind its archive, which ends at %s; "+
		"stop the server and run puddle recover --warehouse %s --from archive, which goes on from there, or --at seq:%s, which stays here",
		w.Name, head, end, w.Name, head.Seq)
	n.log.Error().Str("warehouse", w.Name).Err(w.behind).Msg("read only")
	return nil
}

// bound is the warehouse as recovery knows it.
func (w *warehouse) bound() recover.Warehouse {
	own := w.roots[0].Store
	if w.unfit != nil {
		own = unwritten{own, w.unfit}
	}
	return recover.Warehouse{Name: w.Name, Location: w.Root.URL, Store: own}
}

// readOnly is the recorder of a catalog that takes no changes.
type readOnly struct{ reason error }

// Record refuses.
func (r readOnly) Record(context.Context, journal.Draft) (journal.Event, error) {
	return journal.Event{}, &catalog.Error{Code: catalog.Unavailable, Message: "The change was not made: " + r.reason.Error(), Err: r.reason}
}
