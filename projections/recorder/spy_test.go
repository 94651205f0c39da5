package recorder_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// hook is told of a step twice: before it takes effect and after. An error makes
// the step fail there: not done, or done all the same.
type hook func(step string, done bool) error

func (h hook) around(step string, do func() error) error {
	if err := h(step, false); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return h(step, true)
}

// failAt fails the nth time a step comes by, before or after its effect.
func failAt(step string, n int, done bool, err error) hook {
	var mu sync.Mutex
	return func(s string, d bool) error {
		mu.Lock()
		defer mu.Unlock()
		if s != step || d != done {
			return nil
		}
		if n--; n != 0 {
			return nil
		}
		return err
	}
}

// spiedJournal hooks "append" and "remember".
type spiedJournal struct {
	journal.Journal
	hook hook

	mu         sync.Mutex
	groups     [][]journal.Entry // that took effect
	remembered []int             // how many answers, likewise
}

func (j *spiedJournal) Remember(ctx context.Context, warehouse uuid.UUID, now time.Time, answers ...journal.Answer) error {
	return j.hook.around("remember", func() error {
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
	return j.hook.around("append", func() error {
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
	hook hook
}

func (s *spiedStore) Begin(ctx context.Context) (projections.Tx, error) {
	var tx projections.Tx
	err := s.hook.around("begin", func() (err error) {
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
	hook hook
}

func (w *spiedWarehouse) Apply(ctx context.Context, events ...journal.Event) error {
	return w.hook.around("catch-up", func() error { return w.Warehouse.Apply(ctx, events...) })
}

func (w *spiedWarehouse) Object(ctx context.Context, id journal.Identifier) (o projections.Object, err error) {
	err = w.hook.around("object", func() error {
		o, err = w.Warehouse.Object(ctx, id)
		return err
	})
	return o, err
}

type spiedTx struct {
	projections.Tx
	hook hook
}

func (t *spiedTx) Apply(ctx context.Context, e journal.Event) error {
	return t.hook.around("apply", func() error { return t.Tx.Apply(ctx, e) })
}

func (t *spiedTx) Commit() error   { return t.hook.around("commit", t.Tx.Commit) }
func (t *spiedTx) Rollback() error { return t.hook.around("rollback", t.Tx.Rollback) }
