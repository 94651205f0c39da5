package archive

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// Mode is how closely the archive follows the journal.
type Mode string

// The modes.
const (
	Async Mode = "async" // sealed within a second or so
	Sync  Mode = "sync"  // sealed at once: somebody waits
	Off   Mode = "off"   // there is no follower
)

// How often segments are sealed: not before Interval has passed since the last time,
// but for Sync. After failures the pause doubles, up to a limit.
const (
	Interval     = time.Second
	maxPause     = time.Minute
	maxPauseSync = 5 * time.Second
)

// Options of a follower.
type Options struct {
	ID     uuid.UUID // of the warehouse
	Store  warehouse.Store
	From   journal.Histories // whose readers implement journal.Entries
	Mode   Mode              // Async or Sync
	Failed func(error)       // told each failure, from the follower's goroutine

	// Others: another follower may seal at the same time, one that does not know yet that
	// it has lost its lease. Where it sets HEAD back, that is put right.
	Others bool
}

// State is how far a Follower is.
type State struct {
	Sealed journal.Position // the newest event in the archive, as far as this follower knows
	Err    error            // why the newest attempt failed; nil when it did not
	Failed int64            // attempts so far that failed
}

// Final tells whether the follower has ended: see Final.
func (s State) Final() bool { return Final(s.Err) }

// Follower seals the journal of one warehouse. Its methods may be called from many
// goroutines.
type Follower struct {
	mode   Mode
	failed func(error)
	sealer *sealer

	wake   chan struct{} // holds one wake-up
	cancel context.CancelFunc
	done   chan struct{} // closed when run has returned

	mu      sync.Mutex
	state   State         // guarded by mu
	changed chan struct{} // guarded by mu; closed and made anew when state changes
	closed  bool          // guarded by mu
}

// Follow starts a follower. It looks at the archive when it is woken first.
func Follow(o Options) *Follower {
	ctx, cancel := context.WithCancel(context.Background())
	f := &Follower{
		mode: o.Mode, failed: o.Failed, cancel: cancel,
		wake: make(chan struct{}, 1), done: make(chan struct{}), changed: make(chan struct{}),
	}
	f.sealer = newSealer(o, f.reached)
	go f.run(ctx)
	return f
}

// Wake says that the journal has grown. It never blocks.
func (f *Follower) Wake() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// State tells how far the follower is, also after Close.
func (f *Follower) State() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state
}

// Wait returns when the archive has an event of the current incarnation, durable. It
// outlasts failures; it ends with the cause of ctx, ErrClosed, or an error that is
// Final: then nobody knows whether the archive will ever have it.
func (f *Follower) Wait(ctx context.Context, p journal.Position) error {
	for {
		f.mu.Lock()
		state, changed, closed := f.state, f.changed, f.closed
		f.mu.Unlock()
		switch {
		case state.Sealed.Seq >= p.Seq: // a seq means one thing in a lineage
			return nil
		case state.Final():
			return state.Err
		case closed:
			return ErrClosed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Close stops the follower and seals what is left; ctx bounds that. Its error is
// returned, not handed to Failed.
func (f *Follower) Close(ctx context.Context) error {
	defer f.change(func() { f.closed = true })
	if err := f.end(ctx); err != nil || f.State().Final() { // which was told
		return err
	}
	err := f.sealer.seal(ctx)
	f.tried(err)
	return err
}

// Stop stops the follower as it is: when it returns nil, nothing is written any more. ctx
// bounds how long it waits. One of Stop and Close is called, once, before the journal is
// closed.
func (f *Follower) Stop(ctx context.Context) error {
	defer f.change(func() { f.closed = true })
	return f.end(ctx)
}

// end has run return.
func (f *Follower) end(ctx context.Context) error {
	f.cancel()
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run seals each time it is woken, and again after a failure, until it cannot.
func (f *Follower) run(ctx context.Context) {
	defer close(f.done)
	limit := maxPause
	if f.mode == Sync {
		limit = maxPauseSync
	}
	pause := Interval
	for wait(ctx, f.wake) {
		err := f.attempt(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			f.failed(err)
			f.Wake()
		default:
			pause = Interval
		}
		if Final(err) {
			return
		}
		if err == nil && f.mode == Sync {
			continue
		}
		if !wait(ctx, time.After(pause)) {
			return
		}
		if err != nil {
			pause = min(2*pause, limit)
		}
	}
}

// wait reports whether the event came, and not the end.
func wait[T any](ctx context.Context, event <-chan T) bool {
	select {
	case <-ctx.Done():
		return false
	case <-event:
		return true
	}
}

// attempt seals what is there.
func (f *Follower) attempt(ctx context.Context) error {
	err := f.sealer.seal(ctx)
	if ctx.Err() == nil {
		f.tried(err)
	}
	return err
}

// tried notes how an attempt ended.
func (f *Follower) tried(err error) {
	f.change(func() {
		if f.state.Err = err; err != nil {
			f.state.Failed++
		}
	})
}

// reached notes how far the archive is.
func (f *Follower) reached(p journal.Position) {
	f.change(func() { f.state.Sealed = p })
}

// change changes the state and tells those who wait.
func (f *Follower) change(how func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	how()
	close(f.changed)
	f.changed = make(chan struct{})
}
