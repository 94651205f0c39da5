package purge_test

import (
	"context"
	"errors"
	"sync"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/rest/catalog/purge"
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

// faults sees every step of a job that leaves the process, or asks what must be
// known, counts them, and fails one. A killed process does nothing any more.
type faults struct {
	at  int // counted from 1; 0: none
	how fault

	mu    sync.Mutex
	steps []string
	dead  chan struct{} // closed when the process was killed
}

func newFaults(at int, how fault) *faults {
	return &faults{at: at, how: how, dead: make(chan struct{})}
}

// next is asked at every step what becomes of it: "" to pass.
func (f *faults) next(step string) fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.dead:
		return before
	default:
	}
	f.steps = append(f.steps, step)
	if len(f.steps) != f.at {
		return ""
	}
	if f.how == killedBefore || f.how == killedAfter {
		close(f.dead)
	}
	return f.how
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

// reader fails what is asked.
type reader struct {
	purge.Reader
	faults *faults
}

func (r reader) ask(step string) error {
	if r.faults.next("ask for "+step) != "" {
		return errInjected
	}
	return nil
}

func (r reader) Purges(ctx context.Context, after journal.Seq, limit int) ([]projections.Purge, error) {
	if err := r.ask("purges"); err != nil {
		return nil, err
	}
	return r.Reader.Purges(ctx, after, limit)
}

func (r reader) Purge(ctx context.Context, table uuid.UUID) (projections.Purge, bool, error) {
	if err := r.ask("purge"); err != nil {
		return projections.Purge{}, false, err
	}
	return r.Reader.Purge(ctx, table)
}

func (r reader) PlaceHolder(ctx context.Context, path string, except uuid.UUID) (uuid.UUID, bool, error) {
	if err := r.ask("holder"); err != nil {
		return uuid.Nil, false, err
	}
	return r.Reader.PlaceHolder(ctx, path, except)
}

// guard fails to clear.
type guard struct{ faults *faults }

func (g guard) Clear(context.Context, []journal.Place) (func(), error) {
	if g.faults.next("clear") != "" {
		return nil, errInjected
	}
	return func() {}, nil
}

// forget fails to.
func (f *faults) forget(context.Context, uuid.UUID) error {
	if f.next("forget") != "" {
		return errInjected
	}
	return nil
}
