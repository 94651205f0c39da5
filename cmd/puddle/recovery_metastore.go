package main

import (
	"context"
	"errors"
	"fmt"

	"puddle/journal"
	"puddle/projections"
	"puddle/recover"
)

// planMetastore plans from pointer tables. The new incarnation goes on from where they
// stand.
func (x *recovery) planMetastore(ctx context.Context, e *evidence) error {
	kept, give, err := x.keptTables(ctx, e)
	if err != nil {
		return err
	}
	cursor, err := kept.Cursor(ctx)
	if err == nil {
		e.parent = &cursor
		e.plan, err = recover.PlanMetastore(ctx, e.Name, kept, len(e.seen.Later(cursor)) > 0)
	}
	return errors.Join(err, give())
}

// keptTables are the pointer tables that a warehouse is recovered from. Once a run has
// begun these are the ones where its incarnation goes on from. A run puts them aside: its
// own, and those of warehouses that it has not come to yet.
func (x *recovery) keptTables(ctx context.Context, e *evidence) (kept projections.Warehouse, give func() error, err error) {
	fits := func(at journal.Position) bool { return !at.IsZero() }
	if run := e.seen.Run; run != nil && run.Parent != nil {
		fits = func(at journal.Position) bool { return at == *run.Parent }
	}
	kept, give = x.node.tables.Warehouse(e.seen.ID), func() error { return nil }
	if cursor, err := kept.Cursor(ctx); err != nil || fits(cursor) {
		return kept, give, err
	}
	aside, err := x.kept.aside(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, a := range aside {
		db, err := a.open()
		if err != nil {
			x.node.log.Warn().Err(err).Str("put-aside-as", a.name).Msg("pointer tables that were put aside cannot be read")
			continue
		}
		kept = db.Warehouse(e.seen.ID)
		if cursor, err := kept.Cursor(ctx); err == nil && fits(cursor) {
			return kept, db.Close, nil
		}
		if err := db.Close(); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, &recover.Refusal{Warehouse: e.Name, Err: errNoTables, Reason: fmt.Sprintf(
		"the pointer tables that it is recovered from are gone: put %s back", x.kept.asideName())}
}

var errNoTables = errors.New("no pointer tables hold it")

// tablesStand is where the pointer tables of a warehouse stand: those that are there, or,
// where it is to be recovered from them, some that were put aside.
func (x *recovery) tablesStand(ctx context.Context, e *evidence) (journal.Position, error) {
	cursor, err := x.node.tables.Warehouse(e.seen.ID).Cursor(ctx)
	if err != nil || !cursor.IsZero() || e.seen.Journaled || x.From != string(recover.FromMetastore) {
		return cursor, err
	}
	kept, give, err := x.keptTables(ctx, e)
	if errors.Is(err, errNoTables) {
		return journal.Position{}, nil
	}
	if err != nil {
		return journal.Position{}, err
	}
	cursor, err = kept.Cursor(ctx)
	return cursor, errors.Join(err, give())
}

// importHistory takes the history of the tables over that a warehouse is recovered from.
// What is damaged of it does not keep the catalog from coming back.
func (x *recovery) importHistory(ctx context.Context, e *evidence, t recover.Target) error {
	if e.choice.From != recover.FromMetastore {
		return nil
	}
	kept, give, err := x.keptTables(ctx, e)
	if err != nil {
		return err
	}
	moment, err := kept.Moment(ctx)
	if err != nil {
		return errors.Join(err, give())
	}
	if x.DryRun {
		for _, err = range moment.History() {
			if err != nil {
				break
			}
			e.plan.Imported++
		}
	} else {
		e.plan.Imported, err = recover.ImportHistory(ctx, moment.History(), t)
	}
	if errors.Is(err, projections.ErrDamaged) {
		e.plan.Warnings = append(e.plan.Warnings, fmt.Sprintf("of the history only %d moves can be read: %v", e.plan.Imported, err))
		err = nil
	}
	return errors.Join(err, moment.Close(), give())
}
