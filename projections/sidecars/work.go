package sidecars

import (
	"context"
	"errors"
	"fmt"
	"time"

	"puddle/journal"
)

// parallel is how many reads, or writes, of the store there are at the same time: the way
// to an object store takes tens of milliseconds.
const parallel = 16

// work is what a Follower has in hand. One goroutine at a time has it.
type work struct {
	Options
	cursor    journal.Position // as it is stored; zero: all is read again
	read      journal.Position // the last event that was folded
	careful   journal.Seq      // up to here a sidecar may hold more than the cursor says
	began     bool             // the cursor was read
	pending   map[string]*entry
	room      int           // sidecars that are to be written: then no more events are read
	together  int           // events whose sidecars are looked up together
	largest   int64         // bytes of a metadata file that is read, inflated
	more      bool          // the journal has events for which there was no room
	unsure    uint64        // events after the cursor that were folded
	backoff   time.Duration // after a round in which all failed
	impatient bool          // nothing waits for its pause any more
	held      []failure     // why entries are held back, since the round began
	seen      watches       // what was written, where others write too
}

// entry is the sidecar of one object: its newest state as far as it is known.
type entry struct {
	key       string
	object    *Object     // the state, or
	namespace *Namespace  // the state; neither: there is to be no sidecar, or it is not known
	before    string      // where the pointer was, by a sidecar of which the journal does not know
	seq       journal.Seq // of the event that it is the state after; 0 while it is not known
	loaded    bool        // the file was looked at, or need not be
	dirty     bool        // the file is to be written
	requestID string      // of the newest event
	since     journal.Seq // it is held back: events from here on are not in the state; 0: it is not
	anew      bool        // because its file was set back

	err   error // why it could not be written the last time
	pause time.Duration
	due   time.Time // not to be tried before
}

func newWork(o Options) work {
	return work{Options: o, pending: map[string]*entry{}, seen: watches{}, room: 1 << 12, together: 512, largest: journal.MaxInflatedBytes}
}

// begin reads the cursor and decides from where the journal is read. A cursor that
// is lost, damaged or of another history means from the start.
func (w *work) begin(ctx context.Context, head journal.Position) error {
	cursor, found, err := ReadCursor(ctx, w.Store)
	var unusable *Unusable
	if err != nil && !errors.As(err, &unusable) {
		return err
	}
	if found {
		if found, err = w.holds(ctx, cursor); err != nil {
			return err
		}
	}
	if !found {
		cursor = journal.Position{}
	}
	if cursor != head {
		w.careful = head.Seq
	}
	w.cursor, w.read, w.began = cursor, cursor, true
	return nil
}

// holds tells whether a position is one of the lineage.
func (w *work) holds(ctx context.Context, p journal.Position) (bool, error) {
	for e, err := range w.From.Scan(ctx, p.Seq-1) {
		return err == nil && e.Position == p, err
	}
	return false, nil
}

// catchUp folds what the journal has, as far as there is room for what comes of it.
func (w *work) catchUp(ctx context.Context) error {
	head, err := w.From.Head(ctx)
	if errors.Is(err, journal.ErrNoWarehouse) {
		return nil
	}
	if err == nil && !w.began {
		err = w.begin(ctx, head)
	}
	if err == nil {
		err = w.resume(ctx)
	}
	if w.more = w.read != head; err != nil || !w.more || w.full() {
		return err
	}
	var events []journal.Event
	for e, err := range w.From.Scan(ctx, w.read.Seq) {
		if err != nil {
			return err
		}
		if events = append(events, e); len(events) == w.together || e.Seq == head.Seq {
			if err := w.foldAll(ctx, events); err != nil {
				return err
			}
			events = events[:0]
		}
		if w.more = e.Seq < head.Seq; !w.more || w.full() {
			return nil
		}
	}
	return nil
}

// full tells that there is no room for more.
func (w *work) full() bool { return len(w.pending) >= w.room }

// foldAll looks up what events need to be known of the objects that they are about,
// several at a time, and folds them.
func (w *work) foldAll(ctx context.Context, events []journal.Event) error {
	var wanted []*entry
	because := map[*entry]string{}
	for _, e := range events {
		for key, isWhole := range touched(e) {
			if isWhole && e.Seq > w.careful {
				continue
			}
			if n := w.entry(key); !n.loaded && n.since == 0 && because[n] == "" {
				because[n] = e.Cause.RequestID + " " // also where there is no request
				wanted = append(wanted, n)
			}
		}
	}
	errs := inParallel(wanted, func(n *entry) error { return w.load(ctx, n) })
	for i, err := range errs {
		if wanted[i].startOver(err) {
			continue
		}
		if err != nil {
			id := because[wanted[i]]
			if err := w.holdBack(ctx, wanted[i], events[0].Seq, failure{err, id[:len(id)-1]}); err != nil {
				return err
			}
		}
	}
	for _, e := range events {
		if err := w.fold(ctx, e, func(string) bool { return true }); err != nil {
			return err
		}
		w.unsure++
		w.read = e.Position
	}
	return nil
}

// entry is the one under a key, new where nothing is pending there.
func (w *work) entry(key string) *entry {
	n := w.pending[key]
	if n == nil {
		n = &entry{key: key}
		w.pending[key] = n
	}
	return n
}

// hold is the entry under a key with the state that the file has.
func (w *work) hold(ctx context.Context, key string) (*entry, error) {
	n := w.entry(key)
	return n, w.load(ctx, n)
}

// failure is an error and the request that made necessary what failed.
type failure struct {
	err       error
	requestID string
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// failureOf is an error as a failure.
func failureOf(err error) failure {
	var f *failure
	if errors.As(err, &f) {
		return *f
	}
	return failure{err: fmt.Errorf("sidecars: %w", err)}
}
