package postgres

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"puddle/journal"
)

// DB is a journal in a PostgreSQL database. Safe for concurrent use, also its
// Append: groups of several goroutines and processes wait for each other at the
// heads of their warehouses.
type DB struct {
	pool    *pgxpool.Pool
	options Options
	closed  atomic.Bool
	floors  floors
	moves   *moves
	aloneAs atomic.Int32 // the server's process of the session that is Alone; 0: this DB is not
	clock   Clock
}

var _ journal.Journal = (*DB)(nil)

// Open connects, makes or migrates the tables, and refuses a server that would not
// keep what it acknowledges: ErrFsyncOff, ErrSynchronousCommitOff, ErrReadOnly; a pooler
// that keeps no sessions: ErrNoSession; and tables of a newer build: journal.ErrFormat. Many
// may open the same at once. With
// Options.ReadOnly nothing is made, a server is refused for nothing, and a schema without a
// journal is ErrNoJournal.
func Open(ctx context.Context, o Options) (*DB, error) {
	db, config, err := pooled(ctx, o)
	if err != nil {
		return nil, err
	}
	err = db.prepare(ctx, config)
	if err == nil {
		_, err = db.AskClock(ctx)
	}
	if err != nil {
		db.pool.Close()
		return nil, fmt.Errorf("journal in PostgreSQL: %w", db.said(ctx, err))
	}
	return db, nil
}

// pooled is a DB that has asked the server nothing yet, and how it connects.
func pooled(ctx context.Context, o Options) (*DB, *pgx.ConnConfig, error) {
	moves := &moves{}
	config, err := o.config(moves)
	if err != nil {
		return nil, nil, fmt.Errorf("journal in PostgreSQL: %w", err)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, nil, fmt.Errorf("journal in PostgreSQL: %w", err)
	}
	db := &DB{pool: pool, options: o, moves: moves, floors: floors{of: map[uuid.UUID]floor{}}, clock: Clock{uptime: journal.Uptime}}
	return db, config.ConnConfig, nil
}

func (db *DB) prepare(ctx context.Context, c *pgx.ConnConfig) error {
	if db.options.ReadOnly {
		return db.checkTables(ctx)
	}
	if err := db.checkSession(ctx); err != nil {
		return err
	}
	return db.migrate(ctx, c)
}

// Close implements journal.Journal.
func (db *DB) Close() error {
	db.closed.Store(true)
	db.pool.Close()
	return nil
}

// Warehouses implements journal.Journal.
func (db *DB) Warehouses(ctx context.Context) ([]uuid.UUID, error) {
	var ids [][16]byte
	err := db.Read(ctx, func(conn *pgx.Conn) (err error) {
		rows, _ := conn.Query(ctx, `SELECT warehouse FROM heads ORDER BY warehouse`)
		ids, err = pgx.CollectRows(rows, pgx.RowTo[[16]byte])
		return err
	})
	all := make([]uuid.UUID, len(ids))
	for i, id := range ids {
		all[i] = id
	}
	return all, err
}

// Warehouse implements journal.Journal.
func (db *DB) Warehouse(id uuid.UUID) journal.Reader { return reader{db: db, warehouse: id} }

// Incarnation implements journal.Journal.
func (db *DB) Incarnation(warehouse, incarnation uuid.UUID) journal.Reader {
	return reader{db: db, warehouse: warehouse, incarnation: incarnation}
}
