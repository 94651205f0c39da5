package main

import (
	"context"
	"errors"
	"time"

	"puddle/journal"
	journalpostgres "puddle/journal/postgres"
	"puddle/projections"
	"puddle/projections/pointers"
	tablespostgres "puddle/projections/pointers/postgres"
)

// database is the keeping of a catalog whose journal and pointer tables are in one schema
// of a database. What is put aside is a schema beside it.
type database struct {
	*recovery
	in *shared
}

// options are those of a journal in a schema of the database.
func (x database) options(schema string, readOnly bool) journalpostgres.Options {
	c := x.node.config.Metastore.PostgreSQL
	return journalpostgres.Options{URL: c.URL, Schema: schema, MaxConnections: c.MaxConnections, ReadOnly: readOnly}
}

func (x database) schema() string { return x.node.config.Metastore.PostgreSQL.Schema }

// absent implements keeping.
func (x database) absent(ctx context.Context) (bool, error) {
	made, err := journalpostgres.Made(ctx, x.options(x.schema(), true))
	return !made, err
}

// openJournal implements keeping. But for a dry run nobody else may have it open.
func (x database) openJournal(ctx context.Context) error {
	if x.DryRun {
		return x.lookAtJournal(ctx)
	}
	if err := x.in.openJournal(ctx); err != nil {
		return err
	}
	x.at = x.node.steady.now()
	leave, err := x.alone(ctx)
	switch {
	case errors.Is(err, journal.ErrLocked):
		return fail(codeRefused, "%w: stop them first, so that nothing is committed while the catalog is rebuilt", err)
	case err != nil:
		return err
	}
	x.node.onClose(func() error {
		leave()
		return nil
	})
	err = x.asItIs(ctx, func(db *journalpostgres.DB) error { return lookAtEnds(ctx, db) })
	if damage := (*journal.Damage)(nil); errors.As(err, &damage) {
		return x.replaceJournal(ctx, damage)
	}
	return err
}

// asItIs reads the journal without holding what is there against what was seen before, as
// a damaged one is read.
func (x database) asItIs(ctx context.Context, read func(*journalpostgres.DB) error) error {
	db, err := journalpostgres.Open(ctx, x.options(x.schema(), true))
	if err != nil {
		return err
	}
	return errors.Join(read(db), db.Close())
}

// alone keeps everybody else out. Sessions of processes that have just ended are waited
// for.
func (x database) alone(ctx context.Context) (leave func(), err error) {
	tick := time.NewTicker(lockTime / 20)
	defer tick.Stop()
	for range 20 {
		if leave, err = x.in.db.Alone(ctx); err == nil {
			_ = x.in.db.EndLeases(ctx) // or their terms do
			return leave, nil
		}
		if !errors.Is(err, journal.ErrLocked) {
			break
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
	return leave, err
}

func (x database) lookAtJournal(ctx context.Context) error {
	gone, err := x.absent(ctx)
	if err != nil || gone {
		x.node.journal = journal.NewMemory()
		return err
	}
	if x.in.db, err = journalpostgres.Open(ctx, x.options(x.schema(), true)); err != nil {
		return unsuited(x.node.config.Metastore.PostgreSQL, err)
	}
	x.node.journal = x.in.db
	x.node.onClose(x.in.db.Close)
	x.in.followClock()
	x.at = x.node.steady.now()
	err = lookAtEnds(ctx, x.in.db)
	if damage := (*journal.Damage)(nil); errors.As(err, &damage) {
		x.node.log.Warn().Err(err).Msg("the journal would be put aside")
		return x.copyDamaged(ctx)
	}
	return err
}

// openTables implements keeping.
func (x database) openTables(ctx context.Context) error {
	if !x.DryRun {
		return x.in.openTables(ctx)
	}
	x.node.tables = projections.NewMemory()
	if x.in.db == nil {
		return nil
	}
	tables, err := tablespostgres.Open(ctx, x.in.db)
	switch {
	case errors.Is(err, pointers.ErrSchema):
		return nil
	case err != nil:
		return err
	}
	x.node.tables = tables
	x.node.onClose(tables.Close)
	return nil
}
