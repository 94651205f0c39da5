package journaltest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// Fault is how an append fails.
type Fault int

// The faults.
const (
	None        Fault = iota
	Refused           // nothing is written, and the answer says so
	UnknownDone       // everything is written, the answer is ErrUnknownOutcome
	UnknownLost       // nothing is written, the answer is ErrUnknownOutcome
)

// ErrInjected is wrapped by every failure that Faulty makes.
var ErrInjected = errors.New("injected fault")

// Faulty is a journal whose appends fail as hook says; n counts them from 1. As
// with any journal, ErrUnknownOutcome closes the writer. Close closes only the
// Faulty, so that making another one over the same journal opens it anew.
func Faulty(j journal.Journal, hook func(n int) Fault) journal.Journal {
	return &faulty{Journal: j, hook: hook}
}

type faulty struct {
	journal.Journal
	hook func(n int) Fault

	mu     sync.Mutex
	n      int
	closed bool
}

// Append implements journal.Writer.
func (f *faulty) Append(ctx context.Context, entries ...journal.Entry) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return journal.ErrClosed
	}
	f.n++
	switch f.hook(f.n) {
	case Refused:
		return fmt.Errorf("append %d: %w", f.n, ErrInjected)
	case UnknownLost:
		return f.unknownLocked()
	case UnknownDone:
		if err := f.Journal.Append(ctx, entries...); err != nil {
			return err
		}
		return f.unknownLocked()
	}
	return f.Journal.Append(ctx, entries...)
}

// Remember implements journal.Writer. Only a closed writer fails.
func (f *faulty) Remember(ctx context.Context, warehouse uuid.UUID, now time.Time, answers ...journal.Answer) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return journal.ErrClosed
	}
	return f.Journal.Remember(ctx, warehouse, now, answers...)
}

func (f *faulty) unknownLocked() error {
	f.closed = true
	return fmt.Errorf("append %d: %w: %w", f.n, journal.ErrUnknownOutcome, ErrInjected)
}

// Close implements journal.Journal.
func (f *faulty) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return nil
}
