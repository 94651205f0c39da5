package purge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"puddle/journal"
	"puddle/projections"
)

const (
	// MaxPasses is how many passes try a file that cannot be deleted or read
	// before it counts as failed. A pass counts only if the store has deleted
	// another file since the one before.
	MaxPasses = 8

	firstPause   = 30 * time.Second // after a pass that failed; doubled each time
	longestPause = time.Hour
)

// Result says how a pass over a table ended.
type Result string

// The results.
const (
	Closed    Result = "closed"    // everything is done and recorded
	Cancelled Result = "cancelled" // nobody wants it any more: the table came back
	Waiting   Result = "waiting"   // something failed; it goes on later
)

// Outcome is how a pass over a table ended. The report of one that waits is of
// the kinds of files that are done.
type Outcome struct {
	Purge  projections.Purge
	Result Result
	Report Report
	Err    error     // Waiting: why
	Next   time.Time // Waiting: until when
}

// Why a purge is not pending any more.
var (
	errCancelled = errors.New("the purge was cancelled")
	errClosed    = errors.New("the purge is closed")
)

// attempt is what a process remembers of a purge that it has begun.
type attempt struct {
	began      time.Time
	begun      bool // and that is durable
	done       int  // how many of kinds are
	report     Report
	unreadable unreadable
	toldAbsent bool
	passes     int              // over the kind that is next, that failed and count
	deleted    map[string]int64 // Job.deleted when the last pass ended
	pause      time.Duration
	next       time.Time      // the next pass is not before this
	draft      *journal.Draft // all kinds are done: what is to be recorded
}

// attend makes a pass over a table unless it is to wait. It answers nil when there
// is nothing left to do for it.
func (j *Job) attend(ctx context.Context, p projections.Purge) *attempt {
	a := j.attempts[p.Drop]
	if a == nil {
		a = &attempt{began: j.Now(), unreadable: unreadable{}, deleted: maps.Clone(j.deleted)}
		if j.Began != nil {
			j.Began(p)
		}
	}
	if j.Now().Before(a.next) {
		return a
	}
	j.begin(p, a)
	err := j.pass(ctx, p, a)
	if err != nil && ctx.Err() != nil {
		return a
	}
	o := Outcome{Purge: p, Result: Closed, Report: a.report}
	switch {
	case errors.Is(err, errCancelled):
		o.Result = Cancelled
	case err != nil && !errors.Is(err, errClosed):
		a.pause = min(max(2*a.pause, firstPause), longestPause)
		a.next = j.Now().Add(a.pause)
		o.Result, o.Err, o.Next = Waiting, err, a.next
	}
	if o.Result == Waiting {
		j.end(o)
		return a
	}
	j.unmark(ctx, p)
	j.end(o)
	return nil
}

// pass does what is left of a purge. A panic is an error of this one purge
// (law 11).
func (j *Job) pass(ctx context.Context, p projections.Purge, a *attempt) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if err := j.wanted(ctx, p); err != nil {
		return err
	}
	if a.draft == nil {
		if err := j.removeAll(ctx, p, a); err != nil {
			return err
		}
		if a.draft, err = j.draft(p, a.report); err != nil {
			return err
		}
	}
	return j.record(ctx, p, *a.draft)
}

// wanted asks whether the purge is still pending: nil, errCancelled, errClosed, or
// that it cannot be asked.
func (j *Job) wanted(ctx context.Context, p projections.Purge) error {
	now, ok, err := j.Reader.Purge(ctx, p.Table)
	switch {
	case err != nil:
		return fmt.Errorf("whether it is pending cannot be asked: %w", err)
	case !ok || now.Drop != p.Drop:
		return errCancelled
	case now.Done:
		return errClosed
	}
	return nil
}
