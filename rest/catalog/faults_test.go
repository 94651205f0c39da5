package catalog_test

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

var errInjected = errors.New("injected")

// fault is how a step fails.
type fault string

const (
	before       fault = "fails before"
	after        fault = "fails after"   // of an append: unknown, and done
	lost         fault = "unknown, lost" // of appends only; other steps fail before
	killedBefore fault = "killed before"
	killedAfter  fault = "killed after"
)

// faults sees every I/O step of a process, counts them, and fails one. A killed
// process does nothing any more. The nil faults let everything pass.
type faults struct {
	at    int // counted from 1; 0: none
	how   fault
	watch func(n int, step string) // may be nil; is called before the step

	mu    sync.Mutex
	steps []string
	dead  bool
}

// next is asked at every step what becomes of it: "" to pass.
func (f *faults) next(step string) fault {
	if f == nil {
		return ""
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dead {
		return before
	}
	f.steps = append(f.steps, step)
	if f.watch != nil {
		f.watch(len(f.steps), step)
	}
	if len(f.steps) != f.at {
		return ""
	}
	f.dead = f.how == killedBefore || f.how == killedAfter
	return f.how
}

// since is what was done after the first n steps.
func (f *faults) since(n int) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.steps[n:])
}

func (f *faults) killed() bool {
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dead
}

// hit is the step that failed; "" when none has.
func (f *faults) hit() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at == 0 || f.at > len(f.steps) {
		return ""
	}
	return f.steps[f.at-1]
}

// around does a step, or not, and fails it, or not.
func (f *faults) around(step string, do func() error) error {
	switch f.next(step) {
	case "":
		return do()
	case after, killedAfter:
		if err := do(); err != nil {
			return err
		}
	}
	return errInjected
}

func (f *faults) files(s warehouse.Store) warehouse.Store {
	return faulty.New(s, func(op faulty.Op, _ string) faulty.Fault {
		switch f.next("file " + string(op)) {
		case "":
			return faulty.Fault{}
		case after, killedAfter:
			return faulty.After(errInjected)
		}
		return faulty.Before(errInjected)
	})
}

func (f *faults) journal(j journal.Journal) journal.Journal {
	return journaltest.Faulty(j, func(int) journaltest.Fault {
		switch f.next("journal append") {
		case "":
			return journaltest.None
		case before:
			return journaltest.Refused
		case after, killedAfter:
			return journaltest.UnknownDone
		}
		return journaltest.UnknownLost
	})
}

func (f *faults) store(s projections.Store) projections.Store { return &faultyStore{s, f} }

type faultyStore struct {
	projections.Store
	faults *faults
}

func (s *faultyStore) Begin(ctx context.Context) (projections.Tx, error) {
	var tx projections.Tx
	err := s.faults.around("tables begin", func() (err error) {
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
	faults *faults
}

func (w *faultyTables) Apply(ctx context.Context, events ...journal.Event) error {
	return w.faults.around("tables catch up", func() error { return w.Warehouse.Apply(ctx, events...) })
}

// faultyTx lets a rollback pass: a process that dies rolls back too.
type faultyTx struct {
	projections.Tx
	faults *faults
}

func (t *faultyTx) Apply(ctx context.Context, e journal.Event) error {
	return t.faults.around("tables apply", func() error { return t.Tx.Apply(ctx, e) })
}

func (t *faultyTx) Commit() error { return t.faults.around("tables commit", t.Tx.Commit) }
