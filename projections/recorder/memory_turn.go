package recorder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// memoryTurn has the transaction of the tables until it ends, and with it the journal.
type memoryTurn struct {
	of        *Memory
	warehouse uuid.UUID
	tx        projections.Tx
	now       journal.Instant
	chain     journal.Chain
	born      bool
	over      bool
}

// read reads the clock, and where journal and tables stand.
func (t *memoryTurn) read(ctx context.Context) error {
	last, err := lastEvent(ctx, t.journal())
	if t.born = err == nil; t.born {
		t.chain = journal.ChainAt(last)
	} else if !errors.Is(err, journal.ErrNoWarehouse) {
		return err
	}
	cursor, err := t.of.tables.Warehouse(t.warehouse).Cursor(ctx)
	if err != nil {
		return err
	}
	t.now = t.of.clock.Read()
	return compare(cursor, t.chain.Head)
}

func (t *memoryTurn) journal() journal.Reader { return t.of.journal.Warehouse(t.warehouse) }

func (t *memoryTurn) Chain() (journal.Chain, bool) { return t.chain, t.born }

func (t *memoryTurn) Now() journal.Instant { return t.now }

func (t *memoryTurn) Find(ctx context.Context, id uuid.UUID) (journal.Event, bool, error) {
	return t.journal().Find(ctx, id)
}

func (t *memoryTurn) Answered(ctx context.Context, r journal.Request, at time.Time) (bool, error) {
	_, bound, err := t.journal().Answered(ctx, r.Actor, r.Key, at)
	return bound, err
}

func (t *memoryTurn) PurgesOf(ctx context.Context, tables ...uuid.UUID) (map[uuid.UUID]projections.Purge, error) {
	purges := map[uuid.UUID]projections.Purge{}
	for _, table := range tables {
		p, asked, err := t.of.tables.Warehouse(t.warehouse).Purge(ctx, table)
		if err != nil {
			return nil, err
		}
		if asked {
			purges[table] = p
		}
	}
	return purges, nil
}

func (t *memoryTurn) PlaceHolder(ctx context.Context, path string, except uuid.UUID) (uuid.UUID, bool, error) {
	return t.of.tables.Warehouse(t.warehouse).PlaceHolder(ctx, path, except)
}

// Apply ends the turn when it fails.
func (t *memoryTurn) Apply(ctx context.Context, e journal.Event) error {
	err := t.tx.Apply(ctx, e)
	if _, conflict := errors.AsType[*projections.Conflict](err); err != nil && !conflict {
		t.Rollback()
	}
	return err
}

// Rollback cannot fail.
func (t *memoryTurn) Rollback() {
	t.over = true
	_ = t.tx.Rollback()
}

// Commit writes to the journal when nothing can refuse it any more.
func (t *memoryTurn) Commit(ctx context.Context, entries []journal.Entry, answers []journal.Answer) error {
	defer t.Rollback()
	at := moment(t.chain, t.now)
	if err := t.check(ctx, at, entries, answers); err != nil {
		return err
	}
	if len(entries) > 0 {
		if err := t.of.journal.Append(ctx, entries...); err != nil {
			return err
		}
	}
	if len(answers) > 0 {
		if err := t.of.journal.Remember(context.WithoutCancel(ctx), t.warehouse, at, answers...); err != nil {
			return err
		}
	}
	return t.tx.Commit()
}

// check refuses answers that the journal would not store after the entries.
func (t *memoryTurn) check(ctx context.Context, at time.Time, entries []journal.Entry, answers []journal.Answer) error {
	if t.over {
		return projections.ErrTxOver
	}
	if err := journal.CheckAnswers(answers); err != nil {
		return err
	}
	for _, a := range answers {
		bound, err := t.Answered(ctx, a.Request, at)
		if err != nil {
			return err
		}
		inGroup := slices.ContainsFunc(entries, func(e journal.Entry) bool {
			return e.Request != nil && e.Request.Digest() == a.Digest()
		})
		if bound || inGroup {
			return takenKey(a.Key)
		}
	}
	if len(answers) > 0 && !t.born {
		return fmt.Errorf("%w: %s", journal.ErrNoWarehouse, t.warehouse)
	}
	return nil
}
