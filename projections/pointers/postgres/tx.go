package postgres

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
	journalpg "puddle/journal/postgres"
	"puddle/projections"
)

// tx is a transaction of a replay. The heads of its warehouses are locked as they come.
type tx struct {
	store  *Store
	ctx    context.Context // that does not end
	on     *journalpg.Tx
	sheets map[uuid.UUID]*sheet
	over   bool
}

// Begin starts a transaction of this process alone. A warehouse is locked by its first
// event: nobody else writes to it from then on, in no process. Several may be locked by several
// transactions in different order: one of them fails then.
func (s *Store) Begin(ctx context.Context) (projections.Tx, error) { return s.begin(ctx) }

func (s *Store) begin(ctx context.Context, warehouses ...uuid.UUID) (*tx, error) {
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	on, err := s.db.Begin(ctx, warehouses...)
	if err != nil {
		s.give()
		return nil, err
	}
	return &tx{store: s, ctx: context.WithoutCancel(ctx), on: on, sheets: map[uuid.UUID]*sheet{}}, nil
}

const lockHead = `SELECT FROM heads WHERE warehouse = $1 FOR UPDATE`

// sheet is that of a warehouse. Whose head is not locked yet is.
func (t *tx) sheet(ctx context.Context, id uuid.UUID, events ...journal.Event) (*sheet, error) {
	if s, ok := t.sheets[id]; ok {
		return s, nil
	}
	s := newSheet(id, t.on)
	var batch pgx.Batch
	batch.Queue(lockHead, s.id)
	s.queueCursor(&batch)
	if err := t.on.Send(ctx, &batch); err != nil {
		return nil, t.store.explain(ctx, err)
	}
	if err := t.store.checkSchema(s.version); err != nil {
		return nil, err
	}
	t.sheets[id] = s
	var n needs
	for _, e := range events {
		if e.Seq > s.cursor.Seq {
			n.add(e.Body)
		}
	}
	s.ctx = ctx
	return s, s.fetch(n)
}

const selectCursor = `SELECT version, incarnation, seq, hash, step FROM pointers LEFT JOIN cursor ON warehouse = $1`

// queueCursor asks where the tables stand, and whether they are this build's.
func (s *sheet) queueCursor(batch *pgx.Batch) {
	batch.Queue(selectCursor, s.id).QueryRow(func(row pgx.Row) error {
		var at standing
		var step *int64
		if err := row.Scan(append(at.into(), &step)...); err != nil {
			return err
		}
		if step != nil {
			s.step = *step
		}
		s.version, s.stored = int(at.version), at.position()
		s.cursor = s.stored
		return nil
	})
}

// Apply folds one event.
func (t *tx) Apply(ctx context.Context, e journal.Event) error {
	if t.over {
		return projections.ErrTxOver
	}
	err := ctx.Err()
	if err == nil {
		err = t.fold(ctx, e)
	}
	if _, conflict := errors.AsType[*projections.Conflict](err); err != nil && !conflict {
		return errors.Join(err, t.Rollback())
	}
	return err
}

func (t *tx) fold(ctx context.Context, e journal.Event) error {
	s, err := t.sheet(ctx, e.Warehouse, e)
	if err != nil {
		return err
	}
	return s.apply(ctx, e)
}

// Commit writes the sheets and ends the transaction.
func (t *tx) Commit() error {
	if t.over {
		return projections.ErrTxOver
	}
	var batch pgx.Batch
	for _, s := range t.sheets {
		s.queueAll(&batch)
	}
	if batch.Len() > 0 {
		if err := t.on.Send(t.ctx, &batch); err != nil {
			return errors.Join(err, t.Rollback())
		}
	}
	err := t.on.Commit(t.ctx)
	for _, s := range t.sheets {
		t.store.grew(s.stored, s.cursor)
	}
	return errors.Join(err, t.Rollback())
}

// Rollback ends the transaction without a trace.
func (t *tx) Rollback() error {
	if !t.over {
		t.over = true
		t.on.Rollback(t.ctx)
		t.store.give()
	}
	return nil
}
