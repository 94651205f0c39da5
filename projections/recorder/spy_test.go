package recorder_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder/recordertest"
)

// spiedJournal hooks "append" and "remember".
type spiedJournal struct {
	journal.Journal
	hook recordertest.Hook

	mu         sync.Mutex
	groups     [][]journal.Entry // that took effect
	remembered []int             // how many answers, likewise
}

func (j *spiedJournal) Remember(ctx context.Context, warehouse uuid.UUID, now time.Time, answers ...journal.Answer) error {
	return j.hook.Around("remember", func() error {
		err := j.Journal.Remember(ctx, warehouse, now, answers...)
		if err == nil {
			j.mu.Lock()
			j.remembered = append(j.remembered, len(answers))
			j.mu.Unlock()
		}
		return err
	})
}

func (j *spiedJournal) Append(ctx context.Context, entries ...journal.Entry) error {
	return j.hook.Around("append", func() error {
		err := j.Journal.Append(ctx, entries...)
		if err == nil {
			j.mu.Lock()
			j.groups = append(j.groups, entries)
			j.mu.Unlock()
		}
		return err
	})
}

// sizes are how many entries the groups had.
func (j *spiedJournal) sizes() []int {
	j.mu.Lock()
	defer j.mu.Unlock()
	var sizes []int
	for _, g := range j.groups {
		sizes = append(sizes, len(g))
	}
	return sizes
}

// spiedStore hooks "begin", "apply", "commit", "rollback", "catch-up" for an Apply
// outside of a transaction, and "object" for that question.
type spiedStore struct {
	projections.Store
	hook recordertest.Hook
}

func (s *spiedStore) Begin(ctx context.Context) (projections.Tx, error) {
	var tx projections.Tx
	err := s.hook.Around("begin", func() (err error) {
		tx, err = s.Store.Begin(ctx)
		return err
	})
	if err != nil {
		if tx != nil {
			return nil, errors.Join(err, tx.Rollback()) // the connection is gone, and the transaction with it
		}
		return nil, err
	}
	return &spiedTx{tx, s.hook}, nil
}

func (s *spiedStore) Warehouse(id uuid.UUID) projections.Warehouse {
	return &spiedWarehouse{s.Store.Warehouse(id), s.hook}
}

type spiedWarehouse struct {
	projections.Warehouse
	hook recordertest.Hook
}

func (w *spiedWarehouse) Apply(ctx context.Context, events ...journal.Event) error {
	return w.hook.Around("catch-up", func() error { return w.Warehouse.Apply(ctx, events...) })
}

func (w *spiedWarehouse) Object(ctx context.Context, id journal.Identifier) (o projections.Object, err error) {
	err = w.hook.Around("object", func() error {
		o, err = w.Warehouse.Object(ctx, id)
		return err
	})
	return o, err
}

type spiedTx struct {
	projections.Tx
	hook recordertest.Hook
}

func (t *spiedTx) Apply(ctx context.Context, e journal.Event) error {
	return t.hook.Around("apply", func() error { return t.Tx.Apply(ctx, e) })
}

func (t *spiedTx) Commit() error   { return t.hook.Around("commit", t.Tx.Commit) }
func (t *spiedTx) Rollback() error { return t.hook.Around("rollback", t.Tx.Rollback) }
