package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/projections"
)

// openJournal opens the journal that is there. One that cannot be read is put aside:
// it is evidence. A dry run then goes on without one.
func (x *recovery) openJournal(ctx context.Context) error {
	path := x.node.config.Journal.Path
	_, err := os.Stat(path)
	if x.DryRun && errors.Is(err, os.ErrNotExist) {
		x.node.journal = journal.NewMemory()
		return nil
	}
	err = x.node.openJournal(ctx)
	var damage *journal.Damage
	if !errors.As(err, &damage) {
		return err
	}
	if x.DryRun {
		x.node.log.Warn().Err(err).Msg("the journal would be put aside")
		return x.copyDamaged(ctx, path)
	}
	return x.replaceJournal(ctx, err)
}

// copyDamaged takes what is whole of a journal into memory: a dry run goes on with that.
func (x *recovery) copyDamaged(ctx context.Context, path string) error {
	x.node.journal = journal.NewMemory()
	old, err := bolt.Open(path, bolt.Options{ReadOnly: true})
	if err != nil {
		x.node.log.Warn().Err(err).Msg("nothing of it can be read")
		return nil
	}
	return errors.Join(x.takeOver(ctx, old), old.Close())
}

// openTables opens the pointer tables. A dry run looks at those that are there, and
// fills others that are in memory.
func (x *recovery) openTables(ctx context.Context) error {
	_, err := os.Stat(x.node.config.Metastore.SQLitePath)
	switch {
	case x.DryRun && errors.Is(err, os.ErrNotExist):
		x.node.tables = projections.NewMemory()
		x.node.onClose(x.node.closeTables)
		return nil
	case x.DryRun:
		x.node.onClose(x.node.closeTables)
		if err := x.node.openSQLite(); err != nil && !replaceable(err) {
			return err
		} else if err != nil {
			x.node.tables = projections.NewMemory()
		}
		return nil
	}
	return x.node.openTables(ctx)
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
