package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Point is a place in a warehouse's history as people name it: a time with offset,
// seq:N in the current lineage, INCARNATION:N, or an event's id (interface §2).
type Point struct {
	text string // as it was written
	kind pointKind
	seq  Seq
	at   time.Time
	id   uuid.UUID // of the incarnation or the event
}

type pointKind int

const (
	pointSeq pointKind = iota
	pointPosition
	pointTime
	pointEvent
)

// ErrPoint: the text is in none of the forms of a point.
var ErrPoint = errors.New("must be seq:N, a time such as 2026-09-24T10:00:00Z, INCARNATION:N or an event's id")

// Uncovered is the error of a point that is well written and is no place in the
// history that is read: it names the point and why.
type Uncovered struct{ Point, Reason string }

// Error is one line.
func (u *Uncovered) Error() string { return u.Point + " " + u.Reason }

// ParsePoint reads a point; ErrPoint.
func ParsePoint(s string) (Point, error) {
	p := Point{text: s}
	var err error
	if n, ok := strings.CutPrefix(s, "seq:"); ok {
		p.seq, err = ParseSeq(n)
		return p, pointError(err)
	}
	if p.at, err = time.Parse(time.RFC3339, s); err == nil {
		p.kind = pointTime
		return p, nil
	}
	id, n, position := strings.Cut(s, ":")
	if p.id, err = uuid.Parse(id); err != nil || len(id) != len(p.id.String()) {
		return Point{}, ErrPoint
	}
	if p.kind = pointEvent; position {
		p.kind = pointPosition
		p.seq, err = ParseSeq(n)
	}
	return p, pointError(err)
}

func pointError(err error) error {
	if err != nil {
		return ErrPoint
	}
	return nil
}

// Incarnation is the one that a point INCARNATION:N names.
func (p Point) Incarnation() (uuid.UUID, bool) { return p.id, p.kind == pointPosition }

// Bound answers the seq of the last event at or before the point, for a part of a
// history that ends or begins there: 0 when the point lies before all that is held.
// The seq of a seq:N is N, whatever is there. *Uncovered when the event that the
// point names is not in the history, which is a Lineage. It looks at a number of
// events that grows with the logarithm of their seqs.
func (p Point) Bound(ctx context.Context, from Reader) (Seq, error) {
	switch p.kind {
	case pointTime:
		last, err := p.lastAt(ctx, from)
		return last.Seq, err
	case pointSeq:
		return p.seq, nil
	}
	e, err := p.named(ctx, from)
	return e.Seq, err
}

// Event answers the last event at or before the point, which is then what has
// happened: what is true as of the point is the fold of all events up to it. A seq
// must be an event's. A time in the middle of a recovery, which has half a catalog, is
// the moment before it. *Uncovered when the point is in the future by the clock that
// says now and after the last event, or before the first event that is held, or names no event of the
// history, which is a Lineage.
func (p Point) Event(ctx context.Context, from Reader, now time.Time) (Event, error) {
	if p.kind != pointTime {
		return p.named(ctx, from)
	}
	if p.at.After(now) {
		if happened, err := p.happened(ctx, from); err != nil || !happened {
			return Event{}, cmp.Or(err, p.uncovered("is in the future: it is %s", stamp(now)))
		}
	}
	last, err := p.lastAt(ctx, from)
	if err != nil {
		return last, err
	}
	if last.Seq == 0 {
		return last, p.before(ctx, from)
	}
	return settled(ctx, from, last)
}

// named is the event that the point names.
func (p Point) named(ctx context.Context, from Reader) (Event, error) {
	if p.kind == pointEvent {
		e, found, err := from.Find(ctx, p.id)
		if err == nil && !found {
			err = p.uncovered("is no event of this history")
		}
		return e, err
	}
	e, err := following(ctx, from, max(p.seq, 1)-1)
	switch {
	case errors.Is(err, ErrNoEvent):
		return e, p.after(ctx, from)
	case err != nil:
		return e, err
	case e.Seq != p.seq:
		return e, p.between(ctx, from, e)
	case p.kind == pointPosition && e.Incarnation != p.id:
		return e, p.uncovered("is not in this history: there, %d is an event of incarnation %s", p.seq, e.Incarnation)
	}
	return e, nil
}

// happened tells whether an event is dated at the point or later: then it is no future,
// whatever a clock says.
func (p Point) happened(ctx context.Context, from Reader) (bool, error) {
	for e, err := range from.ScanBack(ctx, 0) {
		return err == nil && !e.At.Before(p.at), err
	}
	return false, nil
}

// lastAt is the last event that is not after the point's time, and none when all
// are: times never go back along seqs, so halving finds it, also where seqs jump.
func (p Point) lastAt(ctx context.Context, from Reader) (Event, error) {
	low, err := following(ctx, from, 0)
	if errors.Is(err, ErrNoEvent) || err == nil && low.At.After(p.at) {
		return Event{}, nil
	}
	if err != nil {
		return Event{}, err
	}
	head, err := from.Head(ctx)
	for high := head.Seq; err == nil && low.Seq < high; { // low is not after; all above high are
		middle := low.Seq + (high-low.Seq+1)/2
		var e Event
		if e, err = following(ctx, from, middle-1); err != nil {
			break
		}
		if e.At.After(p.at) {
			high = middle - 1
		} else {
			low = e
		}
	}
	return low, err
}

// following is the first event after a seq; ErrNoEvent.
func following(ctx context.Context, from Reader, after Seq) (Event, error) {
	for e, err := range from.Scan(ctx, after) {
		return e, err
	}
	return Event{}, fmt.Errorf("%w: after seq %d", ErrNoEvent, after)
}

func (p Point) uncovered(format string, args ...any) error {
	return &Uncovered{p.text, fmt.Sprintf(format, args...)}
}

// before words a time or seq that lies before all that is held.
func (p Point) before(ctx context.Context, from Reader) error {
	first, err := following(ctx, from, 0)
	switch {
	case errors.Is(err, ErrNoEvent):
		return p.uncovered("is before the warehouse's birth")
	case err != nil:
		return err
	}
	if start, ok := first.Body.(IncarnationStarted); ok && start.Parent == nil {
		return p.uncovered("is before the warehouse's birth: seq:%d of %s", first.Seq, stamp(first.At))
	}
	return p.uncovered("is not covered: what is held of the history begins with seq:%d of %s", first.Seq, stamp(first.At))
}

// after words a seq that lies after all.
func (p Point) after(ctx context.Context, from Reader) error {
	head, err := from.Head(ctx)
	if errors.Is(err, ErrNoWarehouse) {
		return p.uncovered("is before the warehouse's birth")
	}
	if err != nil {
		return err
	}
	return p.uncovered("is in the future: the last event is seq:%d", head.Seq)
}

// between words a seq that no event has; next is the first one after it.
func (p Point) between(ctx context.Context, from Reader, next Event) error {
	for e, err := range from.ScanBack(ctx, next.Seq) {
		if err != nil {
			return err
		}
		return p.uncovered("is no event: after seq:%d comes seq:%d, with incarnation %s", e.Seq, next.Seq, next.Incarnation)
	}
	return p.before(ctx, from)
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
