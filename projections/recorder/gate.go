package recorder

import (
	"context"
	"fmt"
	"sync/atomic"
)

// gate holds readers back while the pointer tables lack an acknowledged event.
// The writer goroutine shuts and lifts it. The zero gate is open.
type gate struct {
	barrier atomic.Pointer[barrier] // nil: open
}

type barrier struct {
	because error
	settled chan struct{}
	failed  error // set before settled is closed: the gate stays shut for good
	late    chan struct{}
	reason  error // set before late is closed: nobody waits any more
}

func (g *gate) shut(because error) {
	g.barrier.Store(&barrier{because: because, settled: make(chan struct{}), late: make(chan struct{})})
}

// open lets the waiting readers through.
func (g *gate) open() {
	b := g.barrier.Swap(nil)
	close(b.settled)
}

// delay answers all readers, now and until the gate opens, that the tables are
// behind: it may take long. Only its first call counts.
func (g *gate) delay(reason error) {
	b := g.barrier.Load()
	if b.reason == nil {
		b.reason = reason
		close(b.late)
	}
}

// fail answers all readers, now and later, with an error.
func (g *gate) fail(err error) {
	b := g.barrier.Load()
	b.failed = err
	close(b.settled)
}

// wait returns nil once the pointer tables hold all that was acknowledged before
// the call, and ErrBehind when nobody can say when that will be.
func (g *gate) wait(ctx context.Context) error {
	b := g.barrier.Load()
	if b == nil {
		return nil
	}
	select {
	case <-b.settled:
		return b.failed
	case <-b.late:
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrBehind, context.Cause(ctx))
	}
	select {
	case <-b.settled:
		return b.failed
	default:
		return b.reason
	}
}

// reason is nil when the gate is open.
func (g *gate) reason() error {
	if b := g.barrier.Load(); b != nil {
		return fmt.Errorf("%w: %w", ErrBehind, b.because)
	}
	return nil
}
