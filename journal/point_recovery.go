package journal

import (
	"context"
	"strings"
)

// recoveryReason begins the reason of an incarnation that a recovery starts.
const recoveryReason = "recovery from "

// settled is an event that times may stand for: in the middle of a recovery, which is
// taken for one moment, the last one before it. Where none is held before it stays.
func settled(ctx context.Context, from Reader, e Event) (Event, error) {
	first, err := begins(ctx, from, e)
	if err != nil {
		return e, err
	}
	start, ok := first.Body.(IncarnationStarted)
	if !ok || start.Parent == nil || !strings.HasPrefix(start.Reason, recoveryReason) {
		return e, nil
	}
	for next, err := range from.Scan(ctx, first.Seq) {
		if err != nil {
			return e, err
		}
		if next.Seq > e.Seq {
			break
		}
		if next.Kind() == KindRecoveryCompleted {
			return e, nil
		}
	}
	for before, err := range from.ScanBack(ctx, first.Seq) {
		if err != nil {
			return e, err
		}
		return settled(ctx, from, before) // it may go on from one that was never completed
	}
	return e, nil
}

// begins is the first event that is held of an event's incarnation: along a lineage each
// has its seqs together, so halving finds it.
func begins(ctx context.Context, from Reader, e Event) (Event, error) {
	low, high := Seq(1), e.Seq // all below low are of others; e is the first at or after high
	for low < high {
		middle := low + (high-low)/2
		found, err := following(ctx, from, middle-1)
		if err != nil {
			return e, err
		}
		if found.Incarnation == e.Incarnation {
			e, high = found, middle
		} else {
			low = found.Seq + 1
		}
	}
	return e, nil
}
