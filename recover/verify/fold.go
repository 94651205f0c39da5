package verify

import (
	"context"
	"errors"
	"fmt"

	"puddle/journal"
	"puddle/projections"
)

// maxDifferences bounds what is told of tables that are another catalog's.
const maxDifferences = 100

// fold is level 2. The tables are read in one transaction, and compared with the
// fold of the journal up to where they stand. What they lack at the end is no
// difference: the next start, or the server at work, applies it.
func (r *run) fold(ctx context.Context) error {
	held, err := r.tables(ctx)
	if err != nil {
		return err
	}
	state := projections.NewState(r.ID)
	counted := &folded{State: state, run: r}
	err = projections.CatchUp(ctx, r.from, held.Cursor.Seq, counted)
	if err == nil && held.Cursor.Seq > 0 {
		err = r.compare(ctx, state, held)
	}
	if err == nil {
		err = projections.CatchUp(ctx, r.from, 0, counted)
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
		r.state = state
		held, err = state.Dump(ctx)
		r.alive(held)
		return err
	}
	r.summary.Tables = "not compared: the journal is damaged"
	r.alive(held)
	return nil
}

// alive keeps the live objects of a dump.
func (r *run) alive(d projections.Dump) {
	for _, o := range d.Objects {
		if !o.Dropped {
			r.live = append(r.live, o.Object)
		}
	}
}

// tables are what the pointer tables hold; nothing where there are none.
func (r *run) tables(ctx context.Context) (projections.Dump, error) {
	if r.Tables == nil {
		r.summary.Tables = "there are none: a start makes them anew"
		return projections.Dump{}, nil
	}
	held, err := r.Tables.Warehouse(r.ID).Dump(ctx)
	if errors.Is(err, projections.ErrDamaged) {
		r.differ(journal.Position{}, err.Error())
		return projections.Dump{}, nil
	}
	if err == nil && held.Cursor.IsZero() {
		r.summary.Tables = "empty: a start makes them anew"
	}
	return held, err
}

// compare tells how the tables differ from the fold.
func (r *run) compare(ctx context.Context, state *projections.State, held projections.Dump) error {
	is, err := state.Dump(ctx)
	if err != nil {
		return err
	}
	if held.Cursor != is.Cursor {
		r.doubt = true // they may be all that is left of what the journal has lost
		r.summary.Tables = "of another history"
		r.found(Finding{Severity: Error, Kind: KindTables, Place: "pointer tables", Next: r.recoverCommand(),
			Message: fmt.Sprintf("they stand at %s, where the journal has %s: it was rolled back, or is another one", held.Cursor, is.Cursor)}.at(held.Cursor))
		return nil
	}
	r.summary.Tables = fmt.Sprintf("equal at %s", held.Cursor.Seq)
	n := 0
	differences(is, held, func(message string) {
		if n++; n <= maxDifferences {
			r.differ(held.Cursor, message)
		}
	})
	if n > maxDifferences {
		r.differ(held.Cursor, fmt.Sprintf("and %d more differences", n-maxDifferences))
	}
	return nil
}

func (r *run) differ(at journal.Position, message string) {
	r.differs = true
	r.summary.Tables = "they differ"
	finding := Finding{Severity: Error, Kind: KindTables, Place: "pointer tables", Message: message,
		Next: "puddle verify " + r.Name + " --level 2 --repair, while no server runs"}
	if !at.IsZero() {
		finding = finding.at(at)
	}
	r.found(finding)
}

// folded is a State that tells how far it is.
type folded struct {
	*projections.State
	run  *run
	done int64
}

// Apply counts.
func (f *folded) Apply(ctx context.Context, events ...journal.Event) error {
	if err := f.State.Apply(ctx, events...); err != nil {
		return err
	}
	f.done += int64(len(events))
	f.run.sink.Progress(f.run.Name, 2, f.done, f.run.summary.Events)
	return nil
}
