package main

import (
	"context"
	"errors"
	"fmt"

	"puddle/journal"
	"puddle/recover"
)

// makePlan plans from what was chosen.
func (x *recovery) makePlan(ctx context.Context, e *evidence) (err error) {
	e.parent = e.seen.Last
	if e.seen.Journaled {
		e.past, e.parent = x.node.journal, &e.seen.Head
	}
	switch e.choice.From {
	case recover.FromJournal:
		return x.planHistory(ctx, e)
	case recover.FromArchive:
		if e.archived == nil {
			return &recover.Refusal{Warehouse: e.Name, Reason: "the archive that it is recovered from is gone"}
		}
		e.past = e.archived
		e.parent = e.seen.Archived
		return x.planHistory(ctx, e)
	case recover.FromMetastore:
		return x.planMetastore(ctx, e)
	}
	return x.planSidecars(ctx, e)
}

// planHistory plans from events. What is under way goes on with the moment where its
// incarnation began.
func (x *recovery) planHistory(ctx context.Context, e *evidence) error {
	until := journal.Seq(0)
	switch {
	case e.choice.Whole:
		e.plan = e.standing
		return nil
	case x.At != "":
		at, err := x.momentOf(ctx, e)
		if err != nil {
			return err
		}
		e.parent, until = &at, at.Seq
	case e.seen.Run != nil && e.seen.Run.Parent != nil:
		until = e.seen.Run.Parent.Seq
	}
	from := e.history()
	if e.choice.Later && e.seen.Sidecars > 0 {
		e.proof = recover.NewProof(from)
		from = e.proof.Reader()
	}
	var err error
	if e.plan, err = recover.PlanHistory(ctx, e.Name, from, until, e.choice.From); err != nil {
		return damaged(err)
	}
	if !e.choice.Later {
		return nil
	}
	base, end := e.plan, e.parent
	if e.seen.Run != nil {
		end = e.seen.Run.Parent
	}
	if err := x.planSidecars(ctx, e); err != nil {
		return err
	}
	e.plan, err = recover.WithLater(ctx, base, e.plan, e.roots[0].Store, *end)
	return err
}

// momentOf is the moment that the catalog is to be of. It is refused where that was done, and
// where a recovery as of another moment is under way.
func (x *recovery) momentOf(ctx context.Context, e *evidence) (journal.Position, error) {
	at, err := x.moment(ctx, e.Name, e.history())
	run := e.seen.Run
	switch {
	case run != nil && (err != nil || at != *run.Parent):
		return at, &recover.Refusal{Warehouse: e.Name, Reason: fmt.Sprintf("its recovery as of %s is under way: it has to be completed first", run.Parent),
			Command: "puddle recover --warehouse " + e.Name}
	case err != nil || run != nil || !e.seen.Journaled:
		return at, err
	}
	done, err := recover.CompletedAt(ctx, x.node.journal.Warehouse(e.seen.ID), at)
	if done {
		err = &recover.Refusal{Warehouse: e.Name, Reason: fmt.Sprintf("nothing is lost: its catalog was recovered as of %s, and nothing has happened since", at)}
	}
	return at, err
}

// moment is the last event at the point that was given.
func (x *recovery) moment(ctx context.Context, name string, from journal.Reader) (journal.Position, error) {
	point, err := journal.ParsePoint(x.At)
	if err != nil {
		return journal.Position{}, fail(codeUsage, "--at %w", err)
	}
	event, err := point.Event(ctx, from, x.at)
	var uncovered *journal.Uncovered
	if errors.As(err, &uncovered) {
		return journal.Position{}, fail(codeUsage, "warehouse %s: --at %w", name, err)
	}
	return event.Position, err
}

// planSidecars plans from sidecars and files, with an archive as proof.
func (x *recovery) planSidecars(ctx context.Context, e *evidence) error {
	evidences := recover.Evidences{Roots: e.reads, Name: e.Name, Progress: func(s recover.Surveyed) {
		x.progress.say("%s: read %d sidecars and %d metadata files, listed %d files", e.Name, s.Sidecars, s.Files, s.Listed)
	}}
	if e.past == nil && e.archived != nil {
		e.past = e.archived
	}
	if e.past != nil {
		if e.proof == nil {
			e.proof = recover.NewProof(e.history())
		}
		evidences.Proven = e.proof.Committed
		for last, err := range e.history().ScanBack(ctx, 0) {
			if err != nil {
				return damaged(err)
			}
			evidences.ProvenUntil = last.At
			break
		}
	}
	var err error
	e.plan, err = recover.PlanSidecars(ctx, evidences)
	e.proof = nil // it is large
	return damaged(err)
}
