package recorder

import (
	"context"
	"errors"
	"fmt"
	"sync"
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
	Drafts   int           // that have their outcome by it
	Recorded int           // appended and acknowledged
	Refused  int           // in conflict with what is true
	Unknown  int           // the journal cannot say whether it has them
	Bytes    int           // that the group added to the journal
	Apply    time.Duration // steps 1 and 2
	Append   time.Duration // step 3
	Commit   time.Duration // step 4; over a Database a part of step 3
	Err      error         // why the group ended early, or why step 4 failed
}

// Options of a recorder. The functions are optional, are called by the goroutine of
// a lane and must not block. Over a Database each warehouse has a lane, so that calls
// for different warehouses come at the same time.
type Options struct {
	Clock      Clock               // default: journal.NewClock; a Database has its own
	Observe    func(Group)         // after each group with drafts
	OnAppended func(journal.Event) // an event is durable; before it is acknowledged
	// OnBehind is called with a reason each time bringing the pointer tables up
	// to the journal fails, and with nil once it has succeeded. Those of a Database
	// are never behind.
	OnBehind func(reason error)
}

// Recorder turns drafts into events, one group of a lane at a time. Safe for
// concurrent use.
type Recorder struct {
	backend backend
	options Options
	life    context.Context // ends when the recorder stops; its cause wraps ErrStopped
	stop    context.CancelCauseFunc
	hot     hotMaps      // of the embedded; nil over a Database
	waiting atomic.Int64 // calls of Record that have no outcome yet

	starting sync.Mutex // a lane, or the end of all
	lanes    sync.WaitGroup
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
	r := newRecorder(opts)
	r.hot = newHotMaps(chains, hotBytes, hotShards)
	b := &embedded{journal: j, store: s, options: opts, hot: r.hot, chains: chains, recent: newRecent(newest, remembered)}
	r.backend = b
	b.only, err = r.start()
	return r, err
}

// NewShared records into a database that other processes record into as well. It
// knows nothing of it between two turns: heads, ids and keys are asked for under the
// lock, events are dated by the database, and readers are the database's own. An
// error that is not journal.ErrClosed ends no more than one group. ctx bounds the
// listing of the warehouses; those that are born later are recorded for as well. The
// database stays the caller's, who closes the recorder first.
func NewShared(ctx context.Context, db Database, opts Options) (*Recorder, error) {
	born, err := db.Warehouses(ctx)
	if err != nil {
		return nil, err
	}
	r := newRecorder(opts)
	b := &shared{recorder: r, db: db, lanes: make(map[uuid.UUID]*lane, len(born))}
	r.backend = b
	for _, warehouse := range born {
		if _, err := b.open(warehouse); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func newRecorder(opts Options) *Recorder {
	r := &Recorder{options: opts}
	r.life, r.stop = context.WithCancelCause(context.Background())
	return r
}

// Record makes the draft an event. Without an error the event is durable and
// every later read shows it. It blocks while the lane is busy, and honours ctx
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
	r.waiting.Add(1)
	defer r.waiting.Add(-1)
	l, err := r.backend.lane(ctx, d.Warehouse)
	if err != nil {
		return journal.Event{}, err
	}
	c := &call{draft: d, reply: make(chan outcome, 1)}
	select {
	case l.drafts <- c:
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
// the pointer tables are being brought up, ErrStopped. Over a Database it is ErrStopped
// or nothing, also when turns fail: no draft may come to a server that is not
// ready, and nothing else would tell that they succeed again. Whether the database is
// there it must be asked itself.
func (r *Recorder) Ready() error {
	if r.life.Err() != nil {
		return context.Cause(r.life)
	}
	return r.backend.ready()
}

// Waiting is how many drafts have no outcome yet: those in the groups under way
// and those that queue for the next.
func (r *Recorder) Waiting() int { return int(r.waiting.Load()) }

// Close finishes the drafts already taken and answers all others ErrStopped. It
// does not wait for pointer tables that do not come up. Readers go on, unless
// they wait for those. Idempotent; it never fails.
func (r *Recorder) Close() error {
	r.starting.Lock() // from here on no lane is started
	r.stop(stopped(errors.New("it is closed")))
	r.starting.Unlock()
	r.lanes.Wait()
	return nil
}
