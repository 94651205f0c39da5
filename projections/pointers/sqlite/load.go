package sqlite

import (
	"context"
	"errors"
	"fmt"

	"puddle/journal"
	"puddle/projections"
)

// loadEvents is how many events share a transaction of a load: most of the pages
// that they change are then in SQLite's memory, and written once.
const loadEvents = 16_000

// load builds the rows of one warehouse. History is written as it comes; what
// changes again and again is held in memory and written in the end. The writer is
// its until it ends.
type load struct {
	tx     *tx
	warm   *warm
	cursor journal.Position
	open   int // events in the transaction
}

// Load waits until the writer is free.
func (w *warehouse) Load(ctx context.Context) (projections.Load, error) {
	t, err := w.db.begin(ctx)
	if err != nil {
		return nil, err
	}
	on, cursor, err := writing(w.db.writer, w.id)
	if err == nil && !cursor.IsZero() {
		err = fmt.Errorf("%w: a load of tables that stand at %s", projections.ErrGap, cursor)
	}
	if err != nil {
		return nil, errors.Join(err, t.Rollback())
	}
	return &load{tx: t, warm: newWarm(on)}, nil
}

// Apply folds the events.
func (l *load) Apply(ctx context.Context, events ...journal.Event) error {
	if l.tx.over {
		return projections.ErrTxOver
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, e := range events {
		follows, err := projections.Follows(l.warm.id, l.cursor, e)
		if err != nil {
			return err
		}
		if !follows {
			continue
		}
		if err := projections.Fold(l.warm.now(), e); err != nil {
			return err
		}
		l.cursor = e.Position
	}
	if err := l.warm.spill(); err != nil {
		return err
	}
	if l.open += len(events); l.open < loadEvents {
		return nil
	}
	return l.goOn()
}

// goOn ends a transaction and begins another.
func (l *load) goOn() error {
	if err := l.warm.rows.settle(); err != nil {
		return err
	}
	for _, statement := range []string{"COMMIT", "BEGIN IMMEDIATE"} {
		if err := l.tx.db.writer.exec(statement); err != nil {
			return err
		}
	}
	l.open = 0
	l.tx.db.written()
	return nil
}

// Commit writes what is in memory and the cursor in one transaction.
func (l *load) Commit(context.Context) error {
	if l.tx.over {
		return projections.ErrTxOver
	}
	if err := l.warm.flush(); err != nil {
		return err
	}
	if !l.cursor.IsZero() {
		l.tx.tables[l.warm.id], l.tx.cursors[l.warm.id] = l.warm.tables, l.cursor
	}
	return l.tx.Commit()
}

// Rollback leaves rows of history without a cursor, which the next load forgets.
func (l *load) Rollback() error {
	if l.tx.over {
		return nil
	}
	return l.tx.Rollback()
}
