package recorder

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// Clock dates events. *journal.Clock is one.
type Clock interface {
	Read() journal.Instant
}

// Group is what one pass through the five steps did, for metrics.
type Group struct {
	Drafts   int           // taken
	Recorded int           // appended and acknowledged
	Refused  int           // in conflict with what is true
	Unknown  int           // the journal cannot say whether it has them
	Bytes    int           // that the group added to the journal
	Apply    time.Duration // steps 1 and 2
	Append   time.Duration // step 3
	Commit   time.Duration // step 4
	Err      error         // why the group ended early, or why step 4 failed
}

// Options of a recorder. The functions are optional, are called by the writer
// goroutine and must not block.
type Options struct {
	Clock      Clock               // default: journal.NewClock
	Observe    func(Group)         // after each group
	OnAppended func(journal.Event) // an event is durable; before it is acknowledged
	// OnBehind is called with a reason each time bringing the pointer tables up
	// to the journal fails, and with nil once it has succeeded.
	OnBehind func(reason error)
}

// Recorder turns drafts into events, one group at a time. It alone moves the
// heads of its journal. Safe for concurrent use.
type Recorder struct {
	journal journal.Journal
	store   projections.Store
	options Options

	drafts chan *call      // unbuffered: a draft that was received is taken
	memos  chan *memo      // likewise
	life   context.Context // ends when the recorder stops; its cause wraps ErrStopped
	stop   context.CancelCauseFunc
	done   chan struct{} // the writer goroutine has ended
	gate   gate
	hot    hotMaps

	waiting atomic.Int64 // calls of Record that have no outcome yet

	// Of the writer goroutine alone.
	chains map[uuid.UUID]journal.Chain
	recent recent
	halted bool // the journal takes nothing more
}

// call is a draft and the caller who waits for its outcome.
type call struct {
	draft journal.Draft
	reply chan outcome // holds one: answering never blocks
	twins []*call      // of the same group, with the same id
}

type outcome struct {
	event journal.Event
	err   error
}

func (c *call) answer(e journal.Event, err error) {
	c.reply <- outcome{e, err}
	for _, twin := range c.twins {
		twin.answer(e, err)
	}
}

// New starts recording at the heads of all warehouses in the journal. The store
// must have caught up with them: a cursor that is not the journal's head is
// ErrBehind, projections.ErrAhead or projections.ErrDiverged. Journal and store
// stay the caller's, who closes the recorder first. ctx bounds the loading only.
func New(ctx context.Context, j journal.Journal, s projections.Store, opts Options) (*Recorder, error) {
	if opts.Clock == nil {
		opts.Clock = journal.NewClock()
	}
	now := opts.Clock.Read().Wall
	chains, newest, err := loadChains(ctx, j, s)
	if err != nil {
		return nil, err
	}
	if newest.Before(now) {
		newest = now
	}
	r := &Recorder{
		journal: j, store: s, options: opts,
		drafts: make(chan *call), memos: make(chan *memo), done: make(chan struct{}),
		chains: chains, recent: newRecent(newest, remembered), hot: newHotMaps(chains, hotBytes, hotShards),
	}
	r.life, r.stop = context.WithCancelCause(context.Background())
	go r.run()
	return r, nil
}

// Record makes the draft an event. Without an error the event is durable and
// every later read shows it. It blocks while the writer is busy, and honours ctx
// only until the draft is taken; after that its outcome is decided whoever waits
// for it, and Record waits. Errors: see ErrNotRecorded.
//
// Idempotent by the draft's ID, which names one request for ever: a draft whose
// ID the journal has already is answered with the event recorded then, whatever
// else it holds, and is not appended again. A draft with a Request binds its key
// in the same step; if the key is bound already it is journal.ErrKeyTaken.
func (r *Recorder) Record(ctx context.Context, d journal.Draft) (journal.Event, error) {
	if err := check(d); err != nil {
		return journal.Event{}, err
	}
	if r.life.Err() != nil {
		return journal.Event{}, context.Cause(r.life)
	}
	if ctx.Err() != nil {
		return journal.Event{}, notRecorded(context.Cause(ctx))
	}
	c := &call{draft: d, reply: make(chan outcome, 1)}
	r.waiting.Add(1)
	defer r.waiting.Add(-1)
	select {
	case r.drafts <- c:
	case <-ctx.Done():
		return journal.Event{}, notRecorded(context.Cause(ctx))
	case <-r.life.Done():
		return journal.Event{}, context.Cause(r.life)
	}
	o := <-c.reply
	return o.event, o.err
}

// check refuses what is no draft, before it is taken.
func check(d journal.Draft) error {
	switch {
	case d.Body == nil:
		return fmt.Errorf("%w: draft %s has no body", journal.ErrRecord, d.ID)
	case d.ID == uuid.Nil:
		return fmt.Errorf("%w: draft of %s has no id", journal.ErrRecord, d.Body.Kind())
	case d.Body.Kind() == journal.KindIncarnationStarted:
		return fmt.Errorf("%w: %s goes into the journal before recording begins", journal.ErrRecord, d.Body.Kind())
	}
	return nil
}

// Ready tells why drafts are not recorded now: nil when they are, ErrBehind while
// the pointer tables are being brought up, ErrStopped.
func (r *Recorder) Ready() error {
	if r.life.Err() != nil {
		return context.Cause(r.life)
	}
	return r.gate.reason()
}

// Waiting is how many drafts have no outcome yet: those in the group under way
// and those that queue for the next.
func (r *Recorder) Waiting() int { return int(r.waiting.Load()) }

// Close finishes the drafts already taken and answers all others ErrStopped. It
// does not wait for pointer tables that do not come up. Readers go on, unless
// they wait for those. Idempotent; it never fails.
func (r *Recorder) Close() error {
	r.stop(stopped(errors.New("it is closed")))
	<-r.done
	return nil
}

// run takes groups through the five steps until the recorder stops, and between
// them remembers answers.
func (r *Recorder) run() {
	defer close(r.done)
	var left []*call
	for {
		calls, memos := r.take(left)
		if len(calls)+len(memos) == 0 {
			return
		}
		if left = nil; len(calls) > 0 {
			left = r.record(calls)
		}
		if r.halted {
			r.refuse(memos)
		} else {
			r.remember(memos)
		}
	}
}

// take is what was left of the last group and what is waiting now; when nothing
// is, it waits. It is empty when the recorder has stopped.
func (r *Recorder) take(left []*call) (calls []*call, memos []*memo) {
	calls = left
	if len(calls) == 0 {
		if r.life.Err() != nil {
			return nil, nil
		}
		select {
		case c := <-r.drafts:
			calls = append(calls, c)
		case m := <-r.memos:
			memos = append(memos, m)
		case <-r.life.Done():
			return nil, nil
		}
	}
	runtime.Gosched() // who was just answered may have the next draft ready
	for len(calls) < journal.MaxGroupEntries && len(memos) < journal.MaxGroupEntries {
		select {
		case c := <-r.drafts:
			calls = append(calls, c)
		case m := <-r.memos:
			memos = append(memos, m)
		default:
			return calls, memos
		}
	}
	return calls, memos
}
