package postgres

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	journalpg "puddle/journal/postgres"
	"puddle/projections"
	"puddle/projections/pointers"
)

// Store is the pointer tables beside a journal. Safe for concurrent use, by any number
// of processes.
type Store struct {
	db     *journalpg.DB
	schema int
	turn   chan struct{} // whoever puts something in may replay

	objects together // questions for them

	life      context.Context // until it is closed
	close     func()
	analyzing atomic.Bool
	behind    sync.WaitGroup // what is done beside
}

var _ projections.Store = (*Store)(nil)

// Open looks at the pointer tables in the schema of a journal, and makes them where
// there are none or older ones: they are then empty, and projections.CatchUp fills
// them. Tables of a newer build are pointers.ErrSchema, and journal.ErrFormat. Many may
// open the same at once. The journal stays the caller's.
func Open(ctx context.Context, db *journalpg.DB) (*Store, error) { return open(ctx, db, Schema) }

func open(ctx context.Context, db *journalpg.DB, schema int) (*Store, error) {
	s := &Store{db: db, schema: schema, turn: make(chan struct{}, 1), objects: together{limit: answerLimit}}
	s.life, s.close = context.WithCancel(context.Background())
	if err := s.prepare(ctx); err != nil {
		s.close()
		return nil, fmt.Errorf("pointer tables in PostgreSQL: %w", err)
	}
	return s, nil
}

// Warehouse answers for one, always as it is in the database when asked.
func (s *Store) Warehouse(id uuid.UUID) projections.Warehouse { return &warehouse{store: s, id: id} }

// Warehouses lists the ids of those that have a history, ascending.
func (s *Store) Warehouses(ctx context.Context) ([]uuid.UUID, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	return s.db.Warehouses(ctx)
}

// Close lets nobody in any more: later calls are pointers.ErrClosed. The connections
// are the journal's. Idempotent.
func (s *Store) Close() error {
	s.close()
	s.behind.Wait()
	return nil
}

func (s *Store) usable(ctx context.Context) error {
	if s.life.Err() != nil {
		return pointers.ErrClosed
	}
	return ctx.Err()
}

// read asks on a connection of the pool.
func (s *Store) read(ctx context.Context, run func(conn *pgx.Conn) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	return s.db.Read(ctx, run)
}

// take waits until no other replay of this process is under way.
func (s *Store) take(ctx context.Context) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-s.life.Done():
		return pointers.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Store) give() { <-s.turn }

// Held lists the ids of those that any event was applied to, ascending.
func (s *Store) Held(ctx context.Context) (held []uuid.UUID, err error) {
	err = s.read(ctx, func(conn *pgx.Conn) error {
		rows, _ := conn.Query(ctx, `SELECT warehouse FROM cursor ORDER BY warehouse`)
		held, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (id uuid.UUID, err error) {
			return id, row.Scan((*[16]byte)(&id))
		})
		return err
	})
	return held, s.explain(ctx, err)
}
