package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// Bear appends the first event of a warehouse, unless others have come since known was
// read by [DB.Warehouses]: journal.ErrNotNext then, and nothing was written. Of servers that
// start together one bears a warehouse, and the others look again. Other errors are those of
// Append.
func (db *DB) Bear(ctx context.Context, known []uuid.UUID, first journal.Entry) error {
	return db.again(ctx, func() error {
		tx, err := db.Begin(ctx, first.Event.Warehouse)
		if err != nil {
			return err
		}
		defer tx.Rollback(ctx)
		there, err := tx.births(ctx)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(there, func(id uuid.UUID) bool { return !slices.Contains(known, id) }) {
			return fmt.Errorf("%w: another warehouse was born meanwhile", journal.ErrNotNext)
		}
		if err := tx.Append(ctx, first); err != nil {
			return err
		}
		return tx.Commit(ctx)
	})
}

// births locks births out until the transaction ends, and answers the warehouses there are.
func (tx *Tx) births(ctx context.Context) (there []uuid.UUID, err error) {
	err = tx.do(ctx, func() error {
		var batch pgx.Batch
		batch.Queue(`SELECT pg_advisory_xact_lock(hashtextextended('puddle: bear ' || $1::text, 0))`, tx.db.options.Schema)
		batch.Queue(`SELECT warehouse FROM heads`).Query(func(rows pgx.Rows) error {
			ids, err := pgx.CollectRows(rows, pgx.RowTo[[16]byte])
			for _, id := range ids {
				there = append(there, id)
			}
			return err
		})
		return tx.tx.SendBatch(ctx, &batch).Close()
	})
	return there, err
}
