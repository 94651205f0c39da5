package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// How long a connection of the pool is waited for: a reader asks again sooner than it
// waits, a turn has others behind it.
const (
	ReadWait = 2 * time.Second
	TurnWait = 10 * time.Second
)

// Pool is the connections of this process, whose search_path is the schema. Prefer
// Begin and Read, which bound the waiting and go on when connections were lost.
func (db *DB) Pool() *pgxpool.Pool { return db.pool }

// SchemaName is the schema that holds the tables.
func (db *DB) SchemaName() string { return db.options.Schema }

// Read runs queries that write nothing on a connection of the pool, for which it waits
// up to ReadWait. When the connection turns out to be lost it runs them once more on a
// fresh one: after the server was started again all that are idle are dead. ErrBusy, ErrAway, journal.ErrClosed
// or what run said; rows must be closed when it returns. Safe for concurrent use.
func (db *DB) Read(ctx context.Context, run func(conn *pgx.Conn) error) (err error) {
	for range 2 {
		err = db.read(ctx, run)
		if err == nil || !isLost(err) || ctx.Err() != nil || db.closed.Load() {
			break
		}
		db.pool.Reset() // when a connection is lost, so are mostly the others
	}
	return db.said(ctx, err)
}

func (db *DB) read(ctx context.Context, run func(conn *pgx.Conn) error) error {
	conn, err := db.acquire(ctx, db.options.readWait)
	if err != nil {
		return err
	}
	defer conn.Release()
	return run(conn.Conn())
}

// Acquire takes a connection of the pool for longer than a Read, which the caller releases.
// It waits as Read does.
func (db *DB) Acquire(ctx context.Context) (*pgxpool.Conn, error) {
	conn, err := db.acquire(ctx, db.options.readWait)
	return conn, db.said(ctx, err)
}

// Said is an error of such a connection as the journal says it: ErrBusy, ErrAway,
// journal.ErrClosed, or as it is.
func (db *DB) Said(ctx context.Context, err error) error { return db.said(ctx, err) }

// acquire takes a connection of the pool. ErrBusy when all are in use for too long,
// ErrAway when none can be made in that time.
func (db *DB) acquire(ctx context.Context, wait time.Duration) (*pgxpool.Conn, error) {
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	conn, err := db.pool.Acquire(limited)
	if err == nil || limited.Err() == nil || ctx.Err() != nil {
		return conn, err
	}
	// It is not the caller's deadline that has come.
	if s := db.pool.Stat(); s.AcquiredConns() >= s.MaxConns() {
		return nil, fmt.Errorf("%w: all %d connections of this process were in use for %s", ErrBusy, s.MaxConns(), wait)
	}
	return nil, fmt.Errorf("%w: it did not let anybody in for %s: %v", ErrAway, wait, inOneLine(err))
}

// trip makes one round trip of a turn. ErrAway when it takes longer than TripLimit: a
// network that swallows everything tells nobody.
func (db *DB) trip(ctx context.Context, ask func(context.Context) error) error {
	limit := db.options.tripLimit
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := ask(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: it did not answer for %s: %v", ErrAway, limit, err)
	}
	return err
}
