package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// attempts is how often a transaction is tried that lost a race.
const attempts = 3

// Append implements journal.Writer, for any number of goroutines.
func (db *DB) Append(ctx context.Context, entries ...journal.Entry) error {
	if err := ctx.Err(); err != nil || len(entries) == 0 {
		return err
	}
	return db.again(ctx, func() error {
		tx, err := db.Begin(ctx, warehousesOf(entries)...)
		if err != nil {
			return err
		}
		defer tx.Rollback(ctx)
		if err := tx.Append(ctx, entries...); err != nil {
			return err
		}
		return tx.Commit(ctx)
	})
}

// again runs a transaction until it does not lose a race.
func (db *DB) again(ctx context.Context, run func() error) (err error) {
	for range attempts {
		if err = run(); classify(err) != rolledBack || ctx.Err() != nil {
			break
		}
	}
	return err
}

func warehousesOf(entries []journal.Entry) (ids []uuid.UUID) {
	for _, e := range entries {
		ids = append(ids, e.Event.Warehouse)
	}
	return ids
}

// Append adds entries to the transaction, as journal.Writer says, and moves its
// heads. A warehouse that was not given to Begin is refused.
func (tx *Tx) Append(ctx context.Context, entries ...journal.Entry) error {
	return tx.do(ctx, func() error {
		if err := journal.CheckGroup(entries); err != nil {
			return err
		}
		for _, e := range entries {
			if !tx.locked[e.Event.Warehouse] {
				return fmt.Errorf("the transaction does not hold the head of warehouse %s", e.Event.Warehouse)
			}
		}
		answers, err := journal.EncodeRequests(entries)
		if err != nil {
			return err
		}
		moved, err := tx.heads.Follow(entries...)
		if err != nil {
			return err
		}
		var keys bindings
		for i, e := range entries {
			if e.Request != nil {
				keys.add(e.Event.Warehouse, e.Event.Incarnation, *e.Request, answers[i], e.Event.At)
			}
		}
		if err := tx.write(ctx, entries, moved, keys); err != nil {
			return err
		}
		for id, chain := range moved {
			tx.heads[id] = chain
		}
		tx.sought.entries = append(tx.sought.entries, entries...)
		return nil
	})
}

// do runs a step, unless an earlier one has failed.
func (tx *Tx) do(ctx context.Context, step func() error) error {
	if tx.failed != nil {
		return fmt.Errorf("the transaction has failed: %w", tx.failed)
	}
	tx.failed = tx.db.said(ctx, step())
	return tx.failed
}

// send runs statements in one round trip.
func (tx *Tx) send(ctx context.Context, batch *pgx.Batch) error {
	return tx.db.trip(ctx, func(ctx context.Context) error { return tx.tx.SendBatch(ctx, batch).Close() })
}

// write sends all of a group at once, what is to be checked first.
func (tx *Tx) write(ctx context.Context, entries []journal.Entry, moved journal.Heads, keys bindings) error {
	var batch pgx.Batch
	keys.check(&batch)
	bases := queueBases(&batch, entries)
	queueHeads(&batch, tx.heads, moved)
	queueEvents(&batch, entries)
	queueDocuments(&batch, entries)
	keys.put(&batch)
	for _, also := range tx.queued {
		also(&batch)
	}
	tx.queued = nil
	err := tx.send(ctx, &batch)
	if isTaken(err) {
		return fmt.Errorf("%w: an id is taken, or the warehouse was born meanwhile: %w", journal.ErrNotNext, err)
	}
	if err == nil {
		err = bases.check(entries)
	}
	return err
}
