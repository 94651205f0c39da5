package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers/sqlite"
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
	aside, err := x.aside()
	if err != nil {
		return nil, nil, err
	}
	for _, path := range aside {
		db, err := sqlite.OpenReadOnly(path)
		if err != nil {
			x.node.log.Warn().Err(err).Str("file", path).Msg("pointer tables that were put aside cannot be read")
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
		"the pointer tables that it is recovered from are gone: put %s.broken-TIME back", x.node.config.Metastore.SQLitePath)}
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

// aside are the pointer tables that were put aside, the newest first.
func (x *recovery) aside() (paths []string, err error) {
	folder, name := filepath.Split(x.node.config.Metastore.SQLitePath)
	if folder == "" {
		folder = "."
	}
	all, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, file := range slices.Backward(all) {
		aside := strings.HasPrefix(file.Name(), name+".broken-")
		if aside && !strings.HasSuffix(file.Name(), "-wal") && !strings.HasSuffix(file.Name(), "-shm") {
			paths = append(paths, filepath.Join(folder, file.Name()))
		}
	}
	return paths, err
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
