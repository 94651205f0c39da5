package sidecars

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// How often sidecars are written: not before Interval has passed since writing
// began the last time; while all fails the pause doubles, up to maxPause.
const (
	Interval = time.Second
	maxPause = time.Minute
)

// ErrClosed: the follower is closed.
var ErrClosed = errors.New("sidecars: the follower is closed")

// Options is what a Follower stands on.
type Options struct {
	ID    uuid.UUID       // of the warehouse
	Name  string          // of the warehouse, in the configuration
	Store warehouse.Store // the warehouse's own root
	Roots warehouse.Roots // where metadata files are, to see which descend from which; optional
	From  journal.Reader  // the warehouse's lineage

	// Others: another follower may write at the same time, one that does not know yet
	// that it has lost its lease. What lies there is looked at before it is replaced, and
	// what was written is looked at again, whenever the follower is woken.
	Others bool

	// Failed is told of each failure: to write the sidecar that a request made
	// necessary, or, without a request, to read the journal or write the cursor. It
	// is called by many goroutines and must not block.
	Failed func(err error, requestID string)
}

// Follower keeps the sidecars of one warehouse behind its journal. A store that
// fails or hangs makes them late and nothing else.
type Follower struct {
	work   work          // of run's goroutine; after done, of Close's
	wake   chan struct{} // holds one wake-up
	asks   chan ask      // what is to be done at once
	cancel context.CancelFunc
	done   chan struct{} // closed when run has returned

	mu      sync.Mutex
	reached Progress // guarded by mu; Behind is not in it
}

// Progress is how far a Follower is.
type Progress struct {
	Cursor journal.Position // all sidecars are at least as new; zero when that is not known
	Behind uint64           // events after it; while it is in an earlier incarnation than the head, at least so many
	Err    error            // why the newest attempt failed; nil when it did not
	Failed int64            // failures so far

	read   journal.Position // the last event that was seen
	unsure uint64           // how many were seen after Cursor
}

// Follow starts a Follower. What the sidecars lack is written soon, without a
// Wake.
func Follow(o Options) *Follower { return follow(newWork(o)) }

func follow(w work) *Follower {
	ctx, cancel := context.WithCancel(warehouse.InBackground(context.Background()))
	f := &Follower{wake: make(chan struct{}, 1), asks: make(chan ask), cancel: cancel, done: make(chan struct{})}
	f.work = w
	f.Wake()
	go f.run(ctx)
	return f
}

// Wake says that the journal has grown. It never blocks; many calls in one
// Interval make one write of each object. After Close it does nothing.
func (f *Follower) Wake() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Progress tells how far the follower is. Safe for concurrent use, until the journal
// is closed.
func (f *Follower) Progress() Progress {
	head, err := f.work.From.Head(context.Background())
	f.mu.Lock()
	s := f.reached
	f.mu.Unlock()
	if err != nil {
		head = s.read
	}
	switch {
	case head.Incarnation == s.Cursor.Incarnation:
		s.Behind = between(s.Cursor, head)
	case head.Incarnation == s.read.Incarnation:
		s.Behind = s.unsure + between(s.read, head)
	default:
		s.Behind = s.unsure + 1
	}
	return s
}

func between(a, b journal.Position) uint64 {
	if b.Seq <= a.Seq {
		return 0
	}
	return uint64(b.Seq - a.Seq)
}

// Stop stops the follower as it is: when it returns nil, nothing is written any more. ctx
// bounds how long it waits. One of Stop and Close is called, once, before the journal is
// closed.
func (f *Follower) Stop(ctx context.Context) error {
	f.cancel()
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close is Stop, and writes what is not written yet. Why something is left is returned,
// and not told to Failed.
func (f *Follower) Close(ctx context.Context) error {
	if err := f.Stop(ctx); err != nil {
		return err
	}
	f.work.impatient = true
	for {
		r := f.work.round(ctx, func() {})
		f.show(r)
		if err := cmp.Or(r.err, ctx.Err()); err != nil || !r.again {
			return err
		}
	}
}

// run writes what is behind the journal, each time it is woken and again after a
// failure.
func (f *Follower) run(ctx context.Context) {
	defer close(f.done)
	var due <-chan time.Time // when the next round begins; nil: after a wake-up
	var earliest time.Time   // that it may
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-f.asks:
			f.answer(a)
		case <-f.wake:
			if due == nil {
				due = time.After(time.Until(earliest))
			}
		case <-due:
			due = nil
			began := time.Now()
			r := f.work.round(ctx, f.serve)
			if ctx.Err() != nil {
				return
			}
			f.show(r)
			f.tell(r)
			earliest = began.Add(r.pause)
			if r.again {
				due = time.After(time.Until(earliest))
			}
		}
	}
}

// show publishes where a round has led.
func (f *Follower) show(r round) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reached.Cursor, f.reached.read, f.reached.unsure = f.work.cursor, f.work.read, f.work.unsure
	f.reached.Err = r.err
	f.reached.Failed += int64(len(r.failures))
}

// tell hands failures over.
func (f *Follower) tell(r round) {
	for _, failure := range r.failures {
		f.work.Failed(failure.err, failure.requestID)
	}
}
