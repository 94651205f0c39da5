package rest

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// prefixThen is the prefix of a warehouse as of an event: no name has an @ in it, and
// a path needs no escape for one, nor for a colon. The incarnation is Nil on the lineage.
func prefixThen(name string, at journal.Position) string {
	if at.Incarnation == uuid.Nil {
		return name + "@" + at.Seq.String()
	}
	return name + "@" + at.Incarnation.String() + ":" + at.Seq.String()
}

// parseThen undoes it, after the @.
func parseThen(text string) (at journal.Position, err error) {
	if incarnation, seq, left := strings.Cut(text, ":"); left {
		text = seq
		if at.Incarnation, err = uuid.Parse(incarnation); err != nil {
			return at, err
		}
	}
	at.Seq, err = journal.ParseSeq(text)
	return at, err
}

// findPast finds the warehouse that a prefix NAME@SEQ or NAME@INCARNATION:SEQ names, which only routes of the
// catalog have, and only those that read.
func (c *call) findPast(prefix string) error {
	name, text, then := strings.Cut(prefix, "@")
	at, err := parseThen(text)
	w := c.server.warehouses[name]
	if !then || err != nil || at.Seq == 0 || w == nil || w.Past == nil || !strings.HasPrefix(c.endpoint.path, catalogBase) {
		return noSuchWarehouse(prefix)
	}
	if c.warehouse, c.asOf = w, at; c.writes() {
		return &catalog.Error{Code: catalog.ReadOnly, Message: "The past cannot be changed: " + prefix + " is read only"}
	}
	return nil
}

// openPast turns the warehouse to what it was.
func (c *call) openPast() error {
	on := c.warehouse.lineage()
	if c.asOf.Incarnation != uuid.Nil {
		var err error
		if on, err = c.leftLine(c.asOf.Incarnation); err != nil {
			return err
		}
	}
	then, err := c.then(on, c.asOf.Seq)
	if errors.Is(err, journal.ErrNoEvent) {
		return noSuchWarehouse(prefixThen(c.warehouse.Name, c.asOf) + " (it has no event of that seq)")
	}
	if err != nil {
		return err
	}
	was := *c.warehouse
	was.State, was.Catalog = then, was.Catalog.AsOf(then, on.journal)
	c.warehouse = &was
	return nil
}

// leftLine is that of an incarnation which a prefix names.
func (c *call) leftLine(incarnation uuid.UUID) (line, error) {
	if c.warehouse.Left == nil {
		return line{}, noSuchWarehouse(prefixThen(c.warehouse.Name, c.asOf))
	}
	on, err := c.warehouse.leftLine(c.ctx, incarnation)
	switch {
	case err != nil:
		return line{}, unreadable(err)
	case on.left == uuid.Nil:
		return line{}, noSuchWarehouse(prefixThen(c.warehouse.Name, c.asOf) + " (its incarnation is not held)")
	}
	return on, nil
}

// then is what was true of the warehouse as of an event on a line.
func (c *call) then(on line, seq journal.Seq) (*projections.Snapshot, error) {
	s, err := on.past.At(c.ctx, seq)
	switch {
	case err == nil, errors.Is(err, journal.ErrNoEvent):
		return s, err
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return nil, slowDown(surely(false), "To find out what was true as of seq:"+seq.String()+
			" took too long: ask again, it goes on where it came to", err)
	}
	return nil, unreadable(err)
}

// at is what was true as of a point that a parameter names; without one, as of now.
func (c *call) at(key string) (*projections.Snapshot, error) {
	if c.warehouse.Past == nil {
		return nil, &catalog.Error{Code: catalog.Unsupported, Message: "The past of the warehouse cannot be read here"}
	}
	value, given, err := c.query.get(key)
	if err != nil {
		return nil, err
	}
	if !given {
		head, err := c.warehouse.Journal.Head(c.ctx)
		if err != nil {
			return nil, unreadable(err)
		}
		return c.then(c.warehouse.lineage(), head.Seq)
	}
	e, on, err := c.server.event(c.ctx, c.warehouse, `Query parameter "`+key+`"`, value)
	if err != nil {
		return nil, err
	}
	return c.then(on, e.Seq)
}
