package rest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// point is a place in a warehouse's history as people name it: seq:N, a time,
// INCARNATION:N or an event's id. Exactly one of the fields is meant.
type point struct {
	kind        pointKind
	seq         journal.Seq
	at          time.Time
	incarnation uuid.UUID
	event       uuid.UUID
}

type pointKind int

const (
	pointSeq pointKind = iota
	pointPosition
	pointTime
	pointEvent
)

var errPoint = errors.New("must be seq:N, a time such as 2026-09-24T10:00:00Z, INCARNATION:N or an event's id")

// parsePoint reads a POINT (interface §2).
func parsePoint(s string) (point, error) {
	if n, ok := strings.CutPrefix(s, "seq:"); ok {
		seq, err := journal.ParseSeq(n)
		return point{kind: pointSeq, seq: seq}, invalidPoint(err)
	}
	if at, err := time.Parse(time.RFC3339, s); err == nil {
		return point{kind: pointTime, at: at}, nil
	}
	id, n, position := strings.Cut(s, ":")
	parsed, err := uuid.Parse(id)
	if err != nil || len(id) != len(parsed.String()) {
		return point{}, errPoint
	}
	if !position {
		return point{kind: pointEvent, event: parsed}, nil
	}
	seq, err := journal.ParseSeq(n)
	return point{kind: pointPosition, incarnation: parsed, seq: seq}, invalidPoint(err)
}

func invalidPoint(err error) error {
	if err != nil {
		return errPoint
	}
	return nil
}

// Errors of points that are well written and not in the journal.
var (
	errOtherIncarnation = errors.New("is not in the current incarnation")
	errNoSuchEvent      = errors.New("is no event of this warehouse")
)

// resolve answers the seq of the last event at or before the point; 0 when the
// point lies before all. Seqs may lie after the head.
func (p point) resolve(ctx context.Context, from journal.Reader) (journal.Seq, error) {
	switch p.kind {
	case pointTime:
		return lastAt(ctx, from, p.at)
	case pointEvent:
		e, found, err := from.Find(ctx, p.event)
		if err == nil && !found {
			err = errNoSuchEvent
		}
		return e.Seq, err
	case pointPosition:
		head, err := from.Head(ctx)
		if err == nil && head.Incarnation != p.incarnation {
			err = errOtherIncarnation
		}
		return p.seq, err
	}
	return p.seq, nil
}

// lastAt is the seq of the last event that is not after a time: times never go
// back along seqs, so halving finds it.
func lastAt(ctx context.Context, from journal.Reader, at time.Time) (journal.Seq, error) {
	head, err := from.Head(ctx)
	if err != nil {
		return 0, err
	}
	first, err := next(ctx, from, 0)
	if err != nil || first.At.After(at) {
		return 0, err
	}
	low, high := first.Seq, head.Seq // low is at or before; all above high are after
	for low < high {
		middle := low + (high-low+1)/2
		e, err := next(ctx, from, middle-1)
		if err != nil {
			return 0, err
		}
		if e.At.After(at) {
			high = middle - 1
		} else {
			low = middle
		}
	}
	return low, nil
}

// next is the first event after a seq.
func next(ctx context.Context, from journal.Reader, after journal.Seq) (journal.Event, error) {
	for e, err := range from.Scan(ctx, after) {
		return e, err
	}
	return journal.Event{}, journal.ErrNoEvent
}
