package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/projections"
	"puddle/projections/pointers/sqlite"
)

// openJournal opens the journal that is there. One that cannot be read is put aside:
// it is evidence.
func (x *recovery) openJournal(ctx context.Context) error {
	if x.DryRun {
		return x.lookAtJournal(ctx)
	}
	err := x.node.openJournal(ctx)
	if damage := (*journal.Damage)(nil); errors.As(err, &damage) {
		return x.replaceJournal(ctx, err)
	}
	return err
}

// lookAtJournal opens it without a trace; one that is not there or cannot be read is
// gone on without.
func (x *recovery) lookAtJournal(ctx context.Context) error {
	path := x.node.config.Journal.Path
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		x.node.journal = journal.NewMemory()
		return nil
	}
	j, err := bolt.Open(path, bolt.Options{ReadOnly: true, Timeout: lockTime})
	if damage := (*journal.Damage)(nil); errors.As(err, &damage) {
		x.node.log.Warn().Err(err).Msg("the journal would be put aside")
		return x.copyDamaged(ctx, path)
	}
	if err != nil {
		return fmt.Errorf("journal %s: %w", path, err)
	}
	x.node.journal = j
	x.node.onClose(j.Close)
	return nil
}

// openWarehouses opens them. A dry run makes no folder that is not there.
func (x *recovery) openWarehouses(ctx context.Context) error {
	for _, w := range x.node.config.Warehouses {
		for _, place := range append([]config.Place{w.Root}, w.Allowed...) {
			if _, err := os.Stat(place.Folder()); err != nil && x.DryRun {
				return fmt.Errorf("warehouse %s: %w", w.Name, err)
			}
		}
	}
	return x.node.openWarehouses(ctx)
}

// copyDamaged takes what is whole of a journal into memory: a dry run goes on with that.
func (x *recovery) copyDamaged(ctx context.Context, path string) error {
	x.node.journal = journal.NewMemory()
	old, err := x.openDamaged(path)
	if err != nil || old == nil {
		return err
	}
	return errors.Join(x.takeOver(ctx, old, x.node.journal), old.Close())
}

// openDamaged opens a damaged journal for reading; nil where nothing of it can be read.
func (x *recovery) openDamaged(path string) (*bolt.Journal, error) {
	old, err := bolt.Open(path, bolt.Options{ReadOnly: true, Timeout: lockTime})
	if err != nil && !errors.Is(err, journal.ErrLocked) {
		x.node.log.Warn().Err(err).Msg("nothing of it can be read")
		return nil, nil
	}
	return old, err
}

// openTables opens the pointer tables. A dry run looks at those that are there, and
// fills others that are in memory.
func (x *recovery) openTables(ctx context.Context) error {
	if !x.DryRun {
		return x.node.openTables(ctx)
	}
	path := x.node.config.Metastore.SQLitePath
	db, err := sqlite.OpenReadOnly(path)
	switch {
	case errors.Is(err, os.ErrNotExist), replaceable(err):
		x.node.tables = projections.NewMemory()
		return nil
	case errors.Is(err, sqlite.ErrForeign):
		return fail(codeRefused, "metastore.sqlite.path is %s: %w", path, err)
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	x.node.tables = db
	x.node.onClose(db.Close)
	return nil
}

// scratch is a journal that takes entries and keeps none: what a dry run records.
type scratch struct{ journal.Journal }

// Append implements journal.Writer.
func (scratch) Append(ctx context.Context, entries ...journal.Entry) error {
	for _, e := range entries {
		if err := e.Check(); err != nil {
			return fmt.Errorf("%s: %w", e.Event.Kind(), err)
		}
	}
	return ctx.Err()
}
