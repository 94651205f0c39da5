package sqlite

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// tx is a transaction of the writer, with the cursors as they will be.
type tx struct {
	db      *DB
	tables  map[uuid.UUID]*tables
	cursors map[uuid.UUID]journal.Position
	over    bool
}

// Begin waits until the writer is free.
func (db *DB) Begin(ctx context.Context) (projections.Tx, error) { return db.begin(ctx) }

func (db *DB) begin(ctx context.Context) (*tx, error) {
	if err := db.take(ctx); err != nil {
		return nil, err
	}
	if err := db.writer.exec("BEGIN IMMEDIATE"); err != nil {
		db.give()
		return nil, err
	}
	return &tx{db: db, tables: map[uuid.UUID]*tables{}, cursors: map[uuid.UUID]journal.Position{}}, nil
}

// Apply folds one event under a savepoint.
func (t *tx) Apply(ctx context.Context, e journal.Event) error {
	if t.over {
		return projections.ErrTxOver
	}
	err := ctx.Err()
	if err == nil {
		err = t.try(e)
	}
	var conflict *projections.Conflict
	if err != nil && !errors.As(err, &conflict) {
		return errors.Join(err, t.Rollback())
	}
	return err
}

// try leaves nothing of an event that is refused. One of fewer than two moves is
// refused before anything is written.
func (t *tx) try(e journal.Event) error {
	if len(e.Moves()) < 2 {
		return t.fold(e)
	}
	s := t.db.writer
	if err := s.exec("SAVEPOINT event"); err != nil {
		return err
	}
	if err := t.fold(e); err != nil {
		if undo := s.exec("ROLLBACK TO event"); undo != nil {
			return undo
		}
		if undo := s.exec("RELEASE event"); undo != nil {
			return undo
		}
		return err
	}
	return s.exec("RELEASE event")
}

// fold applies an event that is yet to be applied.
func (t *tx) fold(e journal.Event) error {
	on, ok := t.tables[e.Warehouse]
	if !ok {
		opened, cursor, err := writing(t.db.writer, e.Warehouse)
		if err != nil {
			return err
		}
		on = opened
		t.tables[e.Warehouse], t.cursors[e.Warehouse] = on, cursor
	}
	follows, err := projections.Follows(e.Warehouse, t.cursors[e.Warehouse], e)
	if err != nil || !follows {
		return err
	}
	step := on.step
	clear(on.held)
	if err := projections.Fold(on, e); err != nil {
		on.step = step
		return err
	}
	t.cursors[e.Warehouse] = e.Position
	return nil
}

// Commit writes the cursors and ends the transaction.
func (t *tx) Commit() error {
	if t.over {
		return projections.ErrTxOver
	}
	for id, cursor := range t.cursors {
		if err := t.tables[id].setCursor(cursor); err != nil {
			return errors.Join(err, t.Rollback())
		}
	}
	if err := t.db.writer.exec("COMMIT"); err != nil {
		return errors.Join(err, t.Rollback())
	}
	t.db.written()
	t.end()
	return nil
}

// Rollback ends the transaction without a trace.
func (t *tx) Rollback() error {
	if t.over {
		return nil
	}
	defer t.end()
	err := t.db.writer.exec("ROLLBACK")
	if isPlain(err) {
		return nil // no transaction is active: SQLite ended it after an error of the file
	}
	return err
}

func (t *tx) end() {
	t.over = true
	t.db.give()
}
