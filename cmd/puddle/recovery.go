package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections/archive"
	"puddle/recover"
)

// recovery is one run of the command.
type recovery struct {
	recoverCmd
	node     *node
	kept     keeping
	progress *spoken
	at       time.Time           // when it began
	damaged  map[uuid.UUID]error // what is wrong with the histories of warehouses in the journal
	torn     map[string]bool     // the warehouses of whose archives only what is whole is used
}

// evidence is what there is of one warehouse, and what is made of it.
type evidence struct {
	*warehouse
	seen     recover.Seen
	archived *archive.Archive // nil: there is none
	claims   archive.Claims
	lost     []string     // what is to be told of the archive
	standing recover.Plan // what the journal says, where it has a history
	choice   recover.Choice
	plan     recover.Plan
	parent   *journal.Position // where the new incarnation goes on from
	past     journal.Histories // what is known of it; nil: nothing
	proof    *recover.Proof    // of which files it made current; nil: not asked for
	resumed  bool              // an earlier run has begun
}

// unnamed tells whether there are files, and nothing of a catalog.
func (e *evidence) unnamed() bool {
	return len(e.plan.Namespaces)+len(e.plan.Objects) == 0 && !e.seen.Identified && !e.seen.Journaled
}

// history is the lineage that is known of it; past is there.
func (e *evidence) history() journal.Reader { return journal.Lineage(e.past, e.seen.ID) }

// recover recovers one warehouse. The report has no name when it did not come to one.
// Damage that is found in its archive leaves that with what is whole, once.
func (x *recovery) recover(ctx context.Context, w *warehouse) (recover.Report, error) {
	report, err := x.recoverOnce(ctx, w)
	if damage := (*journal.Damage)(nil); errors.As(err, &damage) && !x.torn[w.Name] {
		x.torn[w.Name] = true
		return x.recoverOnce(ctx, w)
	}
	return report, err
}

func (x *recovery) recoverOnce(ctx context.Context, w *warehouse) (report recover.Report, err error) {
	e, err := x.look(ctx, w)
	if err != nil {
		return recover.Report{}, err
	}
	defer func() { report.Elsewhere = e.seen.Elsewhere() }()
	if e.choice, err = recover.Choose(w.Name, x.wanted(), e.seen); err != nil {
		return recover.Report{}, err
	}
	if err := x.parted(ctx, e); err != nil {
		return recover.Report{}, err
	}
	if err := x.makePlan(ctx, e); err != nil {
		return recover.Report{}, err
	}
	e.plan.Warnings = slices.Concat(e.lost, x.beyond(e))
	if err := noTrace(e); err != nil {
		return recover.Report{}, err
	}
	switch {
	case e.choice.Whole:
		return x.whole(ctx, e)
	case e.unnamed():
		return recover.ReportOf(e.plan), nil // it was never a catalog's
	case e.plan.Unseen != nil:
		err := fmt.Errorf("%w: %w", recover.ErrIncomplete, e.plan.Unseen)
		return recover.ReportOf(e.plan), incomplete(e.Name, err)
	case x.DryRun:
		return x.try(ctx, e)
	}
	return x.fill(ctx, e)
}

// look gathers the evidence.
func (x *recovery) look(ctx context.Context, w *warehouse) (*evidence, error) {
	e := &evidence{warehouse: w}
	err := x.openArchive(ctx, e)
	if err != nil {
		return nil, err
	}
	if err := x.remains(ctx, e); err != nil {
		return nil, err
	}
	if x.left(ctx, e) { // what is older than the present says what is no longer true
		e.archived, e.seen.Archived = nil, nil
	}
	if e.seen.Journaled {
		if err := x.readJournal(ctx, e); err != nil {
			return nil, err
		}
	}
	e.resumed = e.seen.Run != nil
	e.seen.Empty = e.standing.Empty()
	e.seen.Tables, err = x.tablesStand(ctx, e)
	return e, err
}

func (x *recovery) remains(ctx context.Context, e *evidence) error {
	var err error
	if e.archived == nil {
		e.seen.Remains, err = recover.Look(ctx, e.bound(), x.node.journal, nil, uuid.Nil)
	} else {
		e.seen.Remains, err = recover.Look(ctx, e.bound(), x.node.journal, e.archived, e.archived.ID())
	}
	if err != nil {
		return err
	}
	e.seen.Says(recover.TheHint, e.claims.Hint)
	e.seen.Says(recover.TheDocument, e.claims.Documents)
	if e.archived == nil {
		return nil
	}
	head, err := e.archived.Warehouse(e.archived.ID()).Head(ctx)
	e.seen.Archived = &head
	e.seen.Says(recover.TheArchive, head)
	return err
}

// readJournal folds what the journal has. A damaged one is replaced by what of it is
// whole, once.
func (x *recovery) readJournal(ctx context.Context, e *evidence) error {
	var err error
	lineage := journal.Lineage(x.node.journal, e.seen.ID)
	e.standing, err = recover.PlanHistory(ctx, e.Name, lineage, 0, recover.FromJournal)
	var damage *journal.Damage
	if errors.As(err, &damage) && x.damaged[e.seen.ID] == nil {
		if err := x.kept.withoutDamage(ctx, damage); err != nil {
			return err
		}
		x.damaged[e.seen.ID] = damage
		if err := x.remains(ctx, e); err != nil || !e.seen.Journaled {
			return err
		}
		return x.readJournal(ctx, e)
	}
	if err != nil {
		return damaged(err)
	}
	if e.seen.Behind == nil {
		e.seen.Behind = x.damaged[e.seen.ID]
	}
	if e.seen.Head, err = x.node.journal.Warehouse(e.seen.ID).Head(ctx); err != nil {
		return err
	}
	e.seen.Run, err = recover.UnderWay(ctx, x.node.journal.Warehouse(e.seen.ID))
	if e.seen.Overtaken() {
		e.seen.Run = nil
	}
	return err
}

// whole brings up the pointer tables of a journal that has it all, and writes metadata
// files again that are missing.
func (x *recovery) whole(ctx context.Context, e *evidence) (recover.Report, error) {
	e.id = e.seen.ID
	cursor, err := x.node.tables.Warehouse(e.id).Cursor(ctx)
	if err != nil {
		return recover.Report{}, err
	}
	head, err := x.node.journal.Warehouse(e.id).Head(ctx)
	if err != nil {
		return recover.Report{}, err
	}
	// Nothing depends on the order. A crash leaves some of the files, and older tables.
	if err := e.plan.WriteMissing(ctx, e.reads, recover.DocumentsOf(e.past, e.id).File, x.DryRun); err != nil {
		return recover.Report{}, incomplete(e.Name, err)
	}
	report := recover.ReportOf(e.plan)
	report.Whole = true
	switch {
	case cursor == head && !e.seen.Empty && !lostFiles(report):
		return recover.Report{}, &recover.Refusal{Warehouse: e.Name, Reason: "nothing is lost: its journal is whole, its pointer tables are up to date, its catalog is not empty, and the metadata file of each table and view is there",
			Command: "puddle recover --warehouse " + e.Name + " --allow-nonempty, which adds what is missing, or --at, which goes back"}
	case !x.DryRun:
		err = x.replay(ctx)
	}
	return report, err
}

// cause is that of all events of a recovery.
func (x *recovery) cause() journal.Cause {
	return journal.Cause{Actor: journal.CLIActor(userName(os.Getuid())), Origin: journal.OriginRecover}
}

// incomplete words what an execution ends with.
func incomplete(name string, err error) error {
	if err == nil {
		return nil
	}
	return noLook(fmt.Errorf("warehouse %s: %w (another run goes on)", name, err))
}
