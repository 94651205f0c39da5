package purge

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
)

// Reader says what is true now. [projections.Reader] is one.
type Reader interface {
	projections.Purges
	PlaceHolder(ctx context.Context, path string, except uuid.UUID) (uuid.UUID, bool, error)
	Steps(ctx context.Context, object uuid.UUID) ([]projections.Step, error)
}

// Documents are the metadata files that the journal keeps, for a table whose
// current one is gone. [journal.Reader] is one.
type Documents interface {
	Find(ctx context.Context, id uuid.UUID) (journal.Event, bool, error)
	Document(ctx context.Context, seq journal.Seq, move int) ([]byte, error)
}

// Recorder makes a decided draft an event, as that of package catalog.
type Recorder interface {
	Record(ctx context.Context, d journal.Draft) (journal.Event, error)
}

// Guard keeps births away from places while files below them are deleted: from
// Clear until release, no event is recorded that gives an object a place that is
// one of these, above or below. An error means that nothing is held.
type Guard interface {
	Clear(ctx context.Context, places []journal.Place) (release func(), err error)
}

// Options is what a Job stands on.
type Options struct {
	Warehouse uuid.UUID
	Roots     warehouse.Roots // of the warehouse; its own first
	Externals warehouse.Roots // where nothing is removed; optional
	Reader    Reader
	Documents Documents
	Recorder  Recorder
	Guard     Guard
	Now       func() time.Time // default: time.Now
	Grace     time.Duration    // from the drop to the removal
	Ephemeral bool             // the journal ends with the process, which writes nothing of its own into the warehouse
	Batch     int              // files that are asked about and deleted under one Clear; default 100, or 1000 where the own root has warehouse.Batches
	Parallel  int              // deletes at the same time; default 8
	Rate      int              // files a second at most; 0: no limit

	// Ask asks the clock that dates drops, of which Now is an estimate: no purge begins that
	// is not due by it, nor while it fails. Optional: without it Now is that clock.
	Ask func(ctx context.Context) (time.Time, error)

	// Fence returns when all is decided, and seen by Reader, that other processes were
	// deciding when it was called: they cannot have seen a mark that was written just
	// before. It is called after a purge was marked, before its first file is deleted
	// in a process, and the purge waits while it fails. Optional: without it nobody
	// but Guard decides.
	Fence func(ctx context.Context) error

	// Forget removes what the table would be brought back by if the catalog were
	// lost, durably before it returns. It is called before the first file is deleted
	// in a process, and the purge waits while it fails. Optional.
	Forget func(ctx context.Context, table uuid.UUID) error

	// Began and Observe are optional, are called by Run's goroutine before the
	// first and after each pass over a table, and must not block.
	Began   func(projections.Purge)
	Observe func(Outcome)
}

// Job removes the files of one warehouse's dropped tables, one table at a time.
// Make one with New and have one goroutine Run it; the other methods are safe for
// concurrent use. What it has in memory are counts and pauses, nothing that a
// restart would miss: that a purge has begun is marked in the warehouse's own root.
type Job struct {
	Options
	wake     chan struct{}
	attempts map[uuid.UUID]*attempt // of Run's goroutine: by the drop's id
	deleted  map[string]int64       // of Run's goroutine: how many files went, by the URL of their root
	pace     pace                   // of Run's goroutine

	mu    sync.Mutex
	state Progress // guarded by mu
}

// New makes a job. It does nothing before Run.
func New(o Options) *Job {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Batch <= 0 {
		o.Batch = 100
		if len(o.Roots) > 0 {
			if _, ok := o.Roots[0].Store.(warehouse.Batches); ok {
				o.Batch = 1000
			}
		}
	}
	if o.Parallel <= 0 {
		o.Parallel = 8
	}
	if o.Rate > 0 {
		o.Batch = min(o.Batch, o.Rate)
	}
	return &Job{
		Options: o, wake: make(chan struct{}, 1), pace: pace{rate: o.Rate},
		attempts: map[uuid.UUID]*attempt{}, deleted: map[string]int64{},
	}
}

// Due is when the files of a dropped table begin to go. Until then, and not from
// then on, the table can be undropped; see package mark for a grace that grows.
func (j *Job) Due(p projections.Purge) time.Time { return p.At.Add(j.Grace) }

// Wake has Run look for purges that are due. Call it after a drop.
func (j *Job) Wake() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// Run removes what is due, waits for what will be, and so on until ctx ends. It
// never gives up: errors are told to Observe and shown by Progress.
func (j *Job) Run(ctx context.Context) {
	ctx = warehouse.InBackground(ctx)
	j.sweep(ctx)
	for ctx.Err() == nil {
		next, err := j.round(ctx)
		j.rest(next, err)
		j.sleep(ctx, next)
	}
}

// longestSleep bounds how late a jump of the wall clock is noticed.
const longestSleep = 10 * time.Minute

// sleep waits for a moment, a Wake or the end of ctx. A zero moment is none.
func (j *Job) sleep(ctx context.Context, until time.Time) {
	pause := longestSleep
	if !until.IsZero() {
		pause = min(pause, until.Sub(j.Now()))
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-j.wake:
	case <-ctx.Done():
	}
}

// page is how many purges are asked for at once.
const page = 100

// round attends to every purge that is due, oldest drop first, and answers when
// the next round is needed; zero when only a Wake can tell. An error is the
// reader's or that of Ask.
func (j *Job) round(ctx context.Context) (next time.Time, err error) {
	waiting := map[uuid.UUID]*attempt{}
	for after := journal.Seq(0); ; {
		purges, err := j.Reader.Purges(ctx, after, page)
		if err != nil {
			return j.Now().Add(firstPause), err
		}
		for _, p := range purges {
			left, err := j.left(ctx, p)
			if err != nil {
				return j.Now().Add(firstPause), err
			}
			if left > 0 { // and more of those dropped later
				j.attempts = waiting
				return earlier(next, j.Now().Add(left)), nil
			}
			if a := j.attend(ctx, p); a != nil {
				waiting[p.Drop] = a
				next = earlier(next, a.next)
			}
			if ctx.Err() != nil {
				return next, nil
			}
			after = p.Seq
		}
		if len(purges) < page {
			j.attempts = waiting
			return next, nil
		}
	}
}

// left is how long a purge is not due. Who begins one asks: a mark is for good.
func (j *Job) left(ctx context.Context, p projections.Purge) (time.Duration, error) {
	now := j.Now()
	if !now.Before(j.Due(p)) && j.attempts[p.Drop] == nil && j.Ask != nil {
		var err error
		if now, err = j.Ask(ctx); err != nil {
			return 0, err
		}
	}
	return j.Due(p).Sub(now), nil
}

// earlier is the first of two moments of which the first may be zero: none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}
