package rest

import (
	"context"
	"errors"
	"strings"

	"puddle/journal"
)

// readPoint reads a POINT (interface §2). Where a client left the plus of an offset
// in a query as it is, it came as a space, of which no point has one.
func readPoint(value string) (journal.Point, error) {
	return journal.ParsePoint(strings.ReplaceAll(value, " ", "+"))
}

// point reads a parameter that bounds a part of the history.
func (c *call) point(key string) (seq journal.Seq, given bool, err error) {
	value, given, err := c.query.get(key)
	if err != nil || !given {
		return 0, given, err
	}
	p, err := readPoint(value)
	if err != nil {
		return 0, true, badRequest("Query parameter %q %v, not %q", key, err, value)
	}
	seq, err = p.Bound(c.ctx, c.warehouse.Journal)
	var uncovered *journal.Uncovered
	switch {
	case errors.As(err, &uncovered):
		return 0, true, badRequest("Query parameter %q: %v", key, err)
	case err != nil:
		return 0, true, unreadable(err)
	}
	return seq, true, nil
}

// event is the one that a point in a warehouse's history stands for. what names the
// place in the request where the point is.
func (s *server) event(ctx context.Context, w *Warehouse, what, value string) (journal.Event, error) {
	p, err := readPoint(value)
	if err != nil {
		return journal.Event{}, badRequest("%s %v, not %q", what, err, value)
	}
	e, err := p.Event(ctx, w.Journal, s.Now())
	var uncovered *journal.Uncovered
	switch {
	case errors.As(err, &uncovered):
		return e, badRequest("%s: %v", what, err)
	case err != nil:
		return e, unreadable(err)
	}
	return e, nil
}
