package catalog_test

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog/catalogtest"
)

var errInjected = catalogtest.ErrInjected

type fault = catalogtest.Fault

const (
	before       = catalogtest.Before
	after        = catalogtest.After
	lost         = catalogtest.Lost
	killedBefore = catalogtest.KilledBefore
	killedAfter  = catalogtest.KilledAfter
)

// faultyStore has the calls of pointer tables be steps, too.
type faultyStore struct {
	projections.Store
	faults *catalogtest.Steps
}

func (s *faultyStore) Begin(ctx context.Context) (projections.Tx, error) {
	var tx projections.Tx
	err := s.faults.Around("tables begin", func() (err error) {
		tx, err = s.Store.Begin(ctx)
		return err
	})
	if err == nil {
		return &faultyTx{tx, s.faults}, nil
	}
	if tx != nil {
		err = errors.Join(err, tx.Rollback()) // the connection is gone, and the transaction with it
	}
	return nil, err
}

func (s *faultyStore) Warehouse(id uuid.UUID) projections.Warehouse {
	return &faultyTables{s.Store.Warehouse(id), s.faults}
}

type faultyTables struct {
	projections.Warehouse
	faults *catalogtest.Steps
}

func (w *faultyTables) Apply(ctx context.Context, events ...journal.Event) error {
	return w.faults.Around("tables catch up", func() error { return w.Warehouse.Apply(ctx, events...) })
}

// faultyTx lets a rollback pass: a process that dies rolls back too.
type faultyTx struct {
	projections.Tx
	faults *catalogtest.Steps
}

func (t *faultyTx) Apply(ctx context.Context, e journal.Event) error {
	return t.faults.Around("tables apply", func() error { return t.Tx.Apply(ctx, e) })
}

func (t *faultyTx) Commit() error { return t.faults.Around("tables commit", t.Tx.Commit) }
