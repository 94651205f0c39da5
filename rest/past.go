package rest

import (
	"context"
	"errors"
	"strings"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// prefixThen is the prefix of a warehouse as of an event: no name has an @ in it, and
// a path needs no escape for one.
func prefixThen(name string, seq journal.Seq) string { return name + "@" + seq.String() }

// findPast finds the warehouse that a prefix NAME@SEQ names, which only routes of the
// catalog have, and only those that read.
func (c *call) findPast(prefix string) error {
	name, text, then := strings.Cut(prefix, "@")
	seq, err := journal.ParseSeq(text)
	w := c.server.warehouses[name]
	if !then || err != nil || seq == 0 || w == nil || w.Past == nil || !strings.HasPrefix(c.endpoint.path, catalogBase) {
		return noSuchWarehouse(prefix)
	}
	if c.warehouse, c.asOf = w, seq; c.writes() {
		return &catalog.Error{Code: catalog.ReadOnly, Message: "The past cannot be changed: " + prefix + " is read only"}
	}
	return nil
}

// openPast turns the warehouse to what it was.
func (c *call) openPast() error {
	then, err := c.then(c.asOf)
	if errors.Is(err, journal.ErrNoEvent) {
		return noSuchWarehouse(prefixThen(c.warehouse.Name, c.asOf) + " (it has no event of that seq)")
	}
	if err != nil {
		return err
	}
	was := *c.warehouse
	was.State, was.Catalog = then, was.Catalog.AsOf(then, was.Journal)
	c.warehouse = &was
	return nil
}

// then is what was true of the warehouse as of an event.
func (c *call) then(seq journal.Seq) (*projections.Snapshot, error) {
	s, err := c.warehouse.Past.At(c.ctx, seq)
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
		return c.then(head.Seq)
	}
	e, err := c.server.event(c.ctx, c.warehouse, `Query parameter "`+key+`"`, value)
	if err != nil {
		return nil, err
	}
	return c.then(e.Seq)
}
