package anchor

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// How often head.json is written: not before Interval has passed since the
// last time; after failures the pause doubles, up to maxPause.
const (
	Interval = time.Second
	maxPause = time.Minute
)

// Follower keeps head.json of one warehouse behind its journal. A store that
// fails or hangs makes the anchor late and nothing else. It looks at what is there
// before it writes, and only raises it: two of them do each other no harm. One that is
// stopped between the two may set the other's back when it goes on, until that one is
// woken again. Where another history goes on there, it writes nothing: ErrOtherHistory.
type Follower struct {
	store  warehouse.Store
	of     journal.Histories
	id     uuid.UUID
	failed func(error)

	wake   chan struct{} // holds one wake-up
	cancel context.CancelFunc
	done   chan struct{} // closed when run has returned
	unsure bool          // what is there may not be durable; run's goroutine's, after done Close's

	mu    sync.Mutex
	state State // guarded by mu
}

// State is how far a Follower is.
type State struct {
	Written journal.Position // what head.json holds; zero until this follower has seen to it
	Err     error            // why the newest attempt failed; nil when it did not
	Failed  int64            // attempts so far that failed
}

// State tells how far the follower is. Safe for concurrent use, also after Close.
func (f *Follower) State() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state
}

// Follow starts a Follower of a warehouse's journal that writes to store. Each error of
// reading the journal or writing the file is handed to failed, from the follower's own
// goroutine; the next attempt comes by itself.
func Follow(store warehouse.Store, of journal.Histories, warehouse uuid.UUID, failed func(error)) *Follower {
	ctx, cancel := context.WithCancel(context.Background())
	f := &Follower{
		store: store, of: of, id: warehouse, failed: failed,
		wake: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{}), unsure: true,
	}
	go f.run(ctx)
	return f
}

// Wake says that the journal has grown. It never blocks; many calls in one
// Interval make one write. After Close it does nothing.
func (f *Follower) Wake() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Close is Stop, and writes the head once more if it is not written yet.
func (f *Follower) Close(ctx context.Context) error {
	if err := f.Stop(ctx); err != nil {
		return err
	}
	return f.write(ctx)
}

// Stop stops the follower as it is: when it returns nil, nothing is written any more. ctx
// bounds how long it waits; the error is returned, not handed to failed. One of Stop and
// Close is called, once, before the journal is closed.
func (f *Follower) Stop(ctx context.Context) error {
	f.cancel()
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run writes the head each time it is woken, and again after a failure.
func (f *Follower) run(ctx context.Context) {
	defer close(f.done)
	pause := Interval
	for wait(ctx, f.wake) {
		err := f.write(ctx)
		if ctx.Err() != nil {
			return
		}
		f.tried(err)
		switch {
		case err != nil:
			f.failed(err)
			f.Wake()
		default:
			pause = Interval
		}
		if !wait(ctx, time.After(pause)) {
			return
		}
		if err != nil {
			pause = min(2*pause, maxPause)
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

// write raises head.json to the journal's head, unless there is no event yet. What it
// has written before it does not rely on: somebody else may have written since.
func (f *Follower) write(ctx context.Context) error {
	newest, found, err := f.newest(ctx)
	if err != nil || !found {
		return err
	}
	head := Head{Position: newest.Position, At: newest.At, WrittenAt: time.Now()}
	written, err := raise(ctx, f.store, head, f.unsure, func(there Head) error {
		return CheckBeside(ctx, f.of, f.id, there.Incarnation, there.Seq)
	})
	if f.unsure = err != nil; f.unsure {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state.Written = written
	return nil
}

// tried notes how an attempt ended.
func (f *Follower) tried(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state.Err = err; err != nil {
		f.state.Failed++
	}
}

// newest reads the event at the journal's head; false before birth.
func (f *Follower) newest(ctx context.Context) (journal.Event, bool, error) {
	for event, err := range f.of.Warehouse(f.id).ScanBack(ctx, 0) {
		return event, err == nil, err
	}
	return journal.Event{}, false, nil
}
