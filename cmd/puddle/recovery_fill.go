package main

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/anchor"
	"puddle/projections/recorder"
	"puddle/recover"
	"puddle/rest/catalog"
)

// fill makes the plan true.
func (x *recovery) fill(ctx context.Context, e *evidence) (recover.Report, error) {
	if err := x.begin(ctx, e); err != nil {
		return recover.Report{}, incomplete(e.Name, err)
	}
	// The pointer tables follow the journal, or are made anew.
	if err := x.replay(ctx); err != nil {
		return recover.Report{}, incomplete(e.Name, err)
	}
	r, err := x.node.newRecorder(ctx, recorder.Options{Clock: x.node.clock})
	if err != nil {
		return recover.Report{}, incomplete(e.Name, err)
	}
	report, err := x.execute(ctx, e, x.node.journal, r)
	if err == nil {
		// Complete. A crash before this leaves an anchor of the past, which is right.
		err = anchor.Follow(e.roots[0].Store, x.node.journal, e.id, func(error) {}).Close(ctx)
	}
	return report, incomplete(e.Name, err)
}

// begin makes the incarnation that is filled the current one, with what history there
// is before it, unless that was done.
func (x *recovery) begin(ctx context.Context, e *evidence) (err error) {
	if e.id = e.seen.ID; e.id == uuid.Nil {
		if e.id, err = uuid.NewRandom(); err != nil {
			return err
		}
	}
	if e.choice.Adds || e.seen.Run != nil {
		return nil
	}
	if e.seen.Run, err = x.incarnate(ctx, e, x.node.journal, e.choice.From == recover.FromArchive); err != nil {
		return damaged(err)
	}
	return recover.Binder{Journal: x.node.journal}.Identify(ctx, e.bound(), e.seen.Run.Start)
}

// incarnate appends the start of the recovery, and before it what the archive has.
func (x *recovery) incarnate(ctx context.Context, e *evidence, into journal.Journal, carries bool) (run *recover.Run, err error) {
	b := recover.Binder{Journal: into, Clock: x.node.clock, Build: build()}
	r := recover.Beginning{ID: e.id, From: e.choice.From, Later: e.choice.Later, Parent: e.parent, Known: e.seen.Known, Cause: x.cause()}
	run = &recover.Run{From: r.From, Later: r.Later, Parent: r.Parent}
	if carries {
		run.Start, err = b.BeginAfter(ctx, e.bound(), r, e.archived)
	} else {
		run.Start, err = b.Begin(ctx, e.bound(), r)
	}
	return run, err
}

// replay brings the pointer tables of all warehouses up to the journal. Those that stand
// elsewhere are put aside, once, and made anew.
func (x *recovery) replay(ctx context.Context) error {
	err := x.replayOnce(ctx)
	var refused *recover.Refusal
	if errors.As(err, &refused) || errors.Is(err, projections.ErrGap) || replaceable(err) {
		if err := x.kept.replaceTables(ctx, err); err != nil {
			return err
		}
		err = x.replayOnce(ctx)
	}
	return damaged(err)
}

func (x *recovery) replayOnce(ctx context.Context) error {
	ids, err := x.node.journal.Warehouses(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := x.node.replay(ctx, x.node.known(id)); err != nil {
			return err
		}
	}
	x.node.trust()
	return nil
}

// try executes the plan on stand-ins: a journal and pointer tables in memory.
func (x *recovery) try(ctx context.Context, e *evidence) (recover.Report, error) {
	tables := projections.NewMemory()
	if e.id = e.seen.ID; e.id == uuid.Nil {
		e.id = uuid.New()
	}
	if e.choice.Adds || e.seen.Run != nil {
		err := projections.CatchUp(ctx, journal.Lineage(x.node.journal, e.id), 0, tables.Warehouse(e.id))
		if err != nil {
			return recover.Report{}, damaged(err)
		}
		return x.tryOn(ctx, e, scratch{onlyOf{x.node.journal, e.id}}, tables)
	}
	kept := journal.NewMemory()
	run, err := x.incarnate(ctx, e, kept, false)
	if err != nil {
		return recover.Report{}, err
	}
	e.seen.Run = run
	if err := projections.CatchUp(ctx, kept.Warehouse(e.id), 0, tables.Warehouse(e.id)); err != nil {
		return recover.Report{}, err
	}
	return x.tryOn(ctx, e, kept, tables)
}

func (x *recovery) tryOn(ctx context.Context, e *evidence, j journal.Journal, tables projections.Store) (recover.Report, error) {
	r, err := recorder.New(ctx, j, tables, recorder.Options{Clock: x.node.clock})
	if err != nil {
		return recover.Report{}, err
	}
	return x.execute(ctx, e, j, r)
}

// execute executes the plan with a recorder, and closes that.
func (x *recovery) execute(ctx context.Context, e *evidence, j journal.Journal, r *recorder.Recorder) (recover.Report, error) {
	defer r.Close()
	lost, err := x.missed(ctx, e)
	if err != nil {
		return recover.Report{}, err
	}
	target := recover.Target{
		Catalog: catalog.New(catalog.Options{
			ID: e.id, Roots: e.roots, Externals: x.node.externals, Reader: r.Reader(e.id), Recorder: r,
			Now: x.node.steady.now, MaxDocument: int(x.node.config.Journal.MaxDocument),
			PurgeMode: catalog.PurgeMode(e.Purge.Mode), PurgeGrace: e.Purge.Grace, DropKeep: e.DropKeep,
		}),
		Events: j.Warehouse(e.id), Cause: x.cause(), DryRun: x.DryRun,
		Progress: func(done, of int) { x.progress.say("%s: %d of %d namespaces, tables and views", e.Name, done, of) },
	}
	if !e.choice.Adds {
		target.Start = &e.seen.Run.Start
	}
	if e.past != nil {
		target.Documents = recover.DocumentsOf(e.past, e.id).File
	}
	if lost && e.seen.Run.Parent != nil {
		target.Earlier = recover.EarlierOf(e.past, e.id, e.seen.Run.Parent.Seq)
	}
	if err := x.importHistory(ctx, e, target); err != nil {
		return recover.Report{}, err
	}
	return recover.Execute(ctx, e.plan, target)
}
