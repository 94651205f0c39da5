package rest

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"puddle/journal"
)

// readPoint reads a POINT (interface §2). Where a client left the plus of an offset
// in a query as it is, it came as a space, of which no point has one.
func readPoint(value string) (journal.Point, error) {
	return journal.ParsePoint(strings.ReplaceAll(value, " ", "+"))
}

// point reads a parameter that bounds a part of a line.
func (c *call) point(key string, on line) (seq journal.Seq, given bool, err error) {
	value, given, err := c.query.get(key)
	if err != nil || !given {
		return 0, given, err
	}
	p, err := readPoint(value)
	if err != nil {
		return 0, true, badRequest("Query parameter %q %v, not %q", key, err, value)
	}
	seq, err = p.Bound(c.ctx, on.journal)
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
func (s *server) event(ctx context.Context, w *Warehouse, what, value string) (journal.Event, line, error) {
	p, err := readPoint(value)
	if err != nil {
		return journal.Event{}, line{}, badRequest("%s %v, not %q", what, err, value)
	}
	on, err := w.line(ctx, p)
	if err != nil {
		return journal.Event{}, line{}, unreadable(err)
	}
	e, err := p.Event(ctx, on.journal, s.Now())
	var uncovered *journal.Uncovered
	switch {
	case errors.As(err, &uncovered):
		return e, on, badRequest("%s: %v", what, err)
	case err != nil:
		return e, on, unreadable(err)
	}
	return e, on, nil
}

// lineOf is the line of the first of some parameters that leaves the lineage.
func (c *call) lineOf(keys ...string) (line, error) {
	for _, key := range keys {
		value, given, err := c.query.get(key)
		if err != nil || !given {
			continue // as point says
		}
		p, err := readPoint(value)
		if err != nil {
			continue
		}
		on, err := c.warehouse.line(c.ctx, p)
		if err != nil {
			return on, unreadable(err)
		}
		if on.left != uuid.Nil {
			return on, nil
		}
	}
	return c.warehouse.lineage(), nil
}
