package recover

import (
	"context"
	"fmt"
	"strings"
	"time"

	"puddle/journal"
)

// The reason of an incarnation that a recovery began: what it is made from, and
// whether with sidecars that are later.
const (
	reason      = "recovery from "
	reasonLater = " and later sidecars"
)

// Run is a recovery that was begun.
type Run struct {
	Start  journal.Event // of its incarnation
	From   Source
	Later  bool // see Choice
	Parent *journal.Position
}

// UnderWay is the recovery that has begun the current incarnation and is not complete;
// nil when there is none.
func UnderWay(ctx context.Context, current journal.Reader) (*Run, error) {
	for first, err := range current.Scan(ctx, 0) {
		if err != nil {
			return nil, err
		}
		start, _ := first.Body.(journal.IncarnationStarted)
		from, ok := strings.CutPrefix(start.Reason, reason)
		if !ok {
			return nil, nil
		}
		_, completed, err := current.Find(ctx, EventID(first, completedEvent))
		if err != nil || completed {
			return nil, err
		}
		from, later := strings.CutSuffix(from, reasonLater)
		return &Run{first, Source(from), later, start.Parent}, nil
	}
	return nil, nil
}

// atMoment tells whether it may be of a moment of the past, which is its parent then.
func (r *Run) atMoment() bool {
	return r.Parent != nil && !r.Later && (r.From == FromJournal || r.From == FromArchive)
}

// CompletedAt tells whether the current incarnation is a recovery as of a position, and
// nothing has happened since it was completed.
func CompletedAt(ctx context.Context, current journal.Reader, at journal.Position) (bool, error) {
	for first, err := range current.Scan(ctx, 0) {
		start, _ := first.Body.(journal.IncarnationStarted)
		if err != nil || !strings.HasPrefix(start.Reason, reason) || start.Parent == nil || *start.Parent != at {
			return false, err
		}
		completed, found, err := current.Find(ctx, EventID(first, completedEvent))
		if err != nil || !found {
			return false, err
		}
		head, err := current.Head(ctx)
		return head == completed.Position, err
	}
	return false, nil
}

// CheckComplete refuses a warehouse whose recovery is under way: what its catalog has
// so far is not all.
func CheckComplete(ctx context.Context, name string, current journal.Reader) error {
	run, err := UnderWay(ctx, current)
	if err != nil || run == nil {
		return err
	}
	since := run.Start.At.UTC().Format(time.RFC3339)
	return &Refusal{name, fmt.Sprintf("its recovery from %s, begun at %s, is not complete", run.From, since), recoverCommand(name), nil}
}

// complete records the end of the recovery. One that only added to a catalog, and
// added nothing, has no event.
func (x *execution) complete(ctx context.Context) error {
	totals := x.report.Totals()
	if x.Start == nil && totals.Recovered+totals.Namespaces == 0 {
		return nil
	}
	id, recorded, err := x.event(ctx, completedEvent)
	if err != nil || recorded {
		return err
	}
	_, err = x.Catalog.Recorder.Record(ctx, journal.Draft{
		Warehouse: x.Catalog.ID, ID: id, Cause: x.Cause,
		Body: journal.RecoveryCompleted{
			From: string(x.report.From), Namespaces: int64(totals.Namespaces), Objects: int64(totals.Recovered),
			Failed: int64(totals.Failed + totals.FailedNamespaces),
		},
	})
	return err
}
