package verify

import (
	"context"
	"errors"
	"fmt"

	"puddle/journal"
	"puddle/projections"
)

// folded is level 2. The journal is folded up to where the tables stand, into tables
// of its own, and both are walked side by side, those of the catalog in one
// transaction. What they lack at the end is no difference: the next start, or the
// server at work, applies it.
func (r *run) folded(ctx context.Context) error {
	if r.Fold == nil {
		r.Fold = projections.NewMemory()
	}
	fold, done := r.Fold.Warehouse(r.ID), int64(0)
	into := projections.Observed(fold, func(events []journal.Event) {
		done += int64(len(events))
		r.sink.Progress(r.Name, 2, done, r.extent.followed)
	})
	cursor, err := r.cursor(ctx)
	if err != nil {
		return err
	}
	err = projections.CatchUp(ctx, r.lineage(), cursor.Seq, into)
	if err == nil && !cursor.IsZero() {
		err = r.compare(ctx, fold, into)
	}
	if err == nil {
		err = projections.CatchUp(ctx, r.lineage(), 0, into)
	}
	var conflict *projections.Conflict
	switch {
	case errors.As(err, &conflict):
		r.broken = true
		r.found(Finding{Severity: Error, Kind: KindJournal, Place: "journal", Next: r.recoverCommand(),
			Message: fmt.Sprintf("an event contradicts those before it: %v", err)})
	case err != nil:
		if err := r.damaged(err); err != nil {
			return err
		}
		r.broken = true
	default:
		r.fold = fold
		if err := r.alive(ctx, r.fold); err != nil {
			return err
		}
		return r.sidecars(ctx)
	}
	r.summary.Tables = "not compared: the journal is damaged"
	if r.Tables == nil {
		return nil
	}
	return r.alive(ctx, r.Tables.Warehouse(r.ID))
}

// lineage is all that the pointer tables follow.
func (r *run) lineage() journal.Reader { return journal.Lineage(r.Journal, r.ID) }

// alive keeps the ids of the live objects, and where the rest of them is asked for.
func (r *run) alive(ctx context.Context, source projections.Warehouse) error {
	m, err := source.Moment(ctx)
	if err != nil {
		return err
	}
	for o, listed := range m.Objects() {
		if err = listed; err != nil {
			break
		}
		if !o.Dropped {
			r.live = append(r.live, o.UUID)
		}
	}
	r.source, r.stands = source, m.Cursor()
	return errors.Join(err, m.Close())
}

// cursor is where the pointer tables stand; zero where there are none.
func (r *run) cursor(ctx context.Context) (journal.Position, error) {
	if r.Tables == nil {
		r.summary.Tables = "there are none: a start makes them anew"
		return journal.Position{}, nil
	}
	cursor, err := r.Tables.Warehouse(r.ID).Cursor(ctx)
	if errors.Is(err, projections.ErrDamaged) {
		r.differ(journal.Position{}, err.Error())
		return journal.Position{}, nil
	}
	if err == nil && cursor.IsZero() {
		r.summary.Tables = "empty: a start makes them anew"
	}
	return cursor, err
}

// compare tells how the tables differ from the fold, which stands where they stood and goes
// on as into.
func (r *run) compare(ctx context.Context, fold projections.Warehouse, into projections.Projection) (err error) {
	held, err := r.Tables.Warehouse(r.ID).Moment(ctx)
	if err != nil {
		return r.unreadable(journal.Position{}, err)
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	cursor := held.Cursor()
	if err := projections.CatchUp(ctx, r.lineage(), cursor.Seq, into); err != nil {
		return err
	}
	is, err := fold.Moment(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, is.Close()) }()
	if cursor != is.Cursor() {
		r.doubt = true // they may be all that is left of what the journal has lost
		r.summary.Tables = "of another history"
		r.found(Finding{Severity: Error, Kind: KindTables, Place: "pointer tables", Next: r.recoverCommand(),
			Message: fmt.Sprintf("they stand at %s, where the journal has %s: it was rolled back, or is another one", cursor, is.Cursor())}.at(cursor))
		return nil
	}
	r.summary.Tables = fmt.Sprintf("equal at %s", cursor.Seq)
	d := &differing{run: r, at: cursor}
	err = d.compare(is, held)
	d.end()
	return r.unreadable(cursor, err)
}

// unreadable tells that the tables are damaged; any other error it answers.
func (r *run) unreadable(at journal.Position, err error) error {
	var theirs *tablesError
	if errors.Is(err, projections.ErrDamaged) && (errors.As(err, &theirs) || at.IsZero()) {
		r.differ(at, err.Error())
		return nil
	}
	return err
}

func (r *run) differ(at journal.Position, message string) {
	r.differs = true
	r.summary.Tables = "they differ"
	finding := Finding{Severity: Error, Kind: KindTables, Place: "pointer tables", Message: message,
		Next: "puddle verify " + r.Name + " --level 2 --repair"}
	if !r.Beside {
		finding.Next += ", while no server runs"
	}
	if !at.IsZero() {
		finding = finding.at(at)
	}
	r.found(finding)
}
