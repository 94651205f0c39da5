package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// ErrAlone: who is Alone on this journal is another one, a recovery or a compaction. It is
// an ErrAway, and ends when that leaves.
var ErrAlone = fmt.Errorf("%w: a recovery or a compaction is alone with it", ErrAway)

// errNotAlone: others may have written since.
var errNotAlone = fmt.Errorf("%w, perhaps: the session that kept others out is lost", journal.ErrLocked)

const (
	tryTurn = `SELECT pg_try_advisory_xact_lock_shared(` + runKey + `)`
	// nobodyAlone holds of a statement of its own: until it has ended nobody will be.
	nobodyAlone = `pg_try_advisory_xact_lock_shared(hashtextextended('puddle: run ' || current_schema(), 0))`
	isAlone     = `WITH k AS (SELECT ` + runKey + ` AS key)
		SELECT EXISTS (SELECT FROM k, pg_locks l WHERE ` + holdsRun + ` AND l.mode = 'ExclusiveLock' AND l.pid = $2)`
)

// queueFree asks in a turn whether it may write, for which Join is not needed: nobody else
// is Alone, and will not be until the transaction ends, or this DB is, still. It comes after
// the heads: who waits for them asks when they are there.
func (db *DB) queueFree(batch *pgx.Batch) (answer func() error) {
	var free bool
	scan := func(row pgx.Row) error { return row.Scan(&free) }
	alone := db.aloneAs.Load()
	if alone == 0 {
		batch.Queue(tryTurn, db.options.Schema).QueryRow(scan)
	} else {
		batch.Queue(isAlone, db.options.Schema, alone).QueryRow(scan)
	}
	return func() error {
		switch {
		case free:
			return nil
		case alone == 0:
			return ErrAlone
		}
		return errNotAlone
	}
}

// stillAlone refuses, in a transaction, what a DB does that has lost being Alone.
func (db *DB) stillAlone(ctx context.Context, tx pgx.Tx) error {
	alone := db.aloneAs.Load()
	if alone == 0 {
		return nil
	}
	var is bool
	err := tx.QueryRow(ctx, isAlone, db.options.Schema, alone).Scan(&is)
	if err == nil && !is {
		err = errNotAlone
	}
	return err
}
