package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// ErrEndMissing: what the head of a warehouse names as its newest event is not in the
// journal, or has another hash: somebody has written to the tables. That warehouse takes no
// changes until a recovery.
var ErrEndMissing = errors.New("the newest event of a warehouse is missing")

const (
	othersAlone = `WITH k AS (SELECT ` + runKey + ` AS key)
		SELECT EXISTS (SELECT FROM k, pg_locks l WHERE ` + holdsRun + ` AND l.mode = 'ExclusiveLock' AND l.pid <> $2)`
	missingEnd = `SELECT warehouse, incarnation, seq FROM heads h WHERE NOT EXISTS (SELECT FROM events e
		WHERE e.warehouse = h.warehouse AND e.incarnation = h.incarnation AND e.seq = h.seq AND e.hash = h.hash)
		ORDER BY warehouse LIMIT 1`
)

// Check asks whether the server can be reached and would keep what it acknowledges: the
// errors of Open's guards, ErrBusy, ErrAway, ErrAlone. Safe for concurrent use.
func (db *DB) Check(ctx context.Context) error {
	var g guards
	var alone bool
	err := db.Read(ctx, func(conn *pgx.Conn) error {
		var batch pgx.Batch
		batch.Queue(`SELECT ` + guardColumns).QueryRow(func(row pgx.Row) error { return row.Scan(g.of(conn)...) })
		batch.Queue(othersAlone, db.options.Schema, db.aloneAs.Load()).QueryRow(func(row pgx.Row) error { return row.Scan(&alone) })
		return conn.SendBatch(ctx, &batch).Close()
	})
	if err == nil {
		err = g.check(db.options.Unsafe)
	}
	if err == nil && alone {
		err = ErrAlone
	}
	return err
}

// CheckEnds asks whether the journal has the events that its heads name: ErrEndMissing, with
// a *journal.Damage that names the first that it lacks. Also ErrBusy, ErrAway. Safe for
// concurrent use.
func (db *DB) CheckEnds(ctx context.Context) error {
	var of journal.Reading
	var seq int64
	err := db.Read(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, missingEnd).Scan((*[16]byte)(&of.Warehouse), (*[16]byte)(&of.Head.Incarnation), &seq)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%w: %w", ErrEndMissing, of.Missing(journal.Seq(seq)))
}
