package journal

import (
	"bytes"
	"slices"
)

// decodeCanonical is Decode for the events of which there are many: moves of
// tables and views. It is false for all others and for what is not canonical or
// not right, of which Decode says what it is.
func decodeCanonical(prev Digest, data []byte) (Event, bool) {
	c := &canonical{rest: data}
	e := Event{Prev: prev}
	c.expect(`{"at":`)
	at := c.integer()
	c.expect(`,"body":`)
	moved := c.moved()
	c.expect(`,"cause":`)
	e.Cause = c.cause()
	c.expect(`,"id":`)
	e.ID = c.uuid()
	c.expect(`,"incarnation":`)
	e.Incarnation = c.uuid()
	c.expect(`,"kind":`)
	kind := Kind(c.word())
	c.expect(`,"kv":1,"seq":`)
	seq := c.integer()
	c.expect(`,"v":1,"wall":`)
	wall := c.integer()
	c.expect(`,"warehouse":`)
	e.Warehouse = c.uuid()
	c.expect("}")
	e.Body = moved.body(kind)
	if c.strange || len(c.rest) > 0 || seq < 0 || max(at, -at, wall, -wall) > maxMillis || e.Body == nil {
		return Event{}, false
	}
	if len(moved.moves) > MaxMoves || e.Body.check() != nil {
		return Event{}, false
	}
	e.At, e.Wall = fromMillis(at), fromMillis(wall)
	e.Seq, e.Hash = Seq(seq), Link(prev, data)
	return e, true
}

// maxMillis is far in the future, and far from where times overflow.
const maxMillis = 1 << 48

// moved is a body that is nothing but moves, and perhaps a purge.
type moved struct {
	moves         []Move
	drops, purges bool
}

func (c *canonical) moved() (m moved) {
	c.expect(`{"moves":`)
	m.moves = []Move{}
	for c.item(len(m.moves)) {
		m.moves = append(m.moves, c.move())
	}
	if m.drops = c.next(`,"purge":`); m.drops {
		if m.purges = c.next("true"); !m.purges {
			c.expect("false")
		}
	}
	c.expect("}")
	return m
}

// body is nil for kinds that are left to others, and for what is not of the kind.
func (m moved) body(kind Kind) Body {
	if m.drops != (kind == KindTableDropped) {
		return nil
	}
	if kind == KindTablesCommitted {
		return TablesCommitted{m.moves}
	}
	if len(m.moves) != 1 {
		return nil
	}
	switch one := [1]Move(m.moves); kind {
	case KindTableCreated:
		return TableCreated{one}
	case KindTableRenamed:
		return TableRenamed{one}
	case KindTableDropped:
		return TableDropped{one, m.purges}
	case KindViewCreated:
		return ViewCreated{one}
	case KindViewReplaced:
		return ViewReplaced{one}
	}
	return nil
}

func (c *canonical) move() (m Move) {
	c.expect("{")
	if c.next(`"from":`) {
		m.From = c.from()
		c.expect(",")
	}
	c.expect(`"kind":`)
	m.Kind = ObjectKind(c.word())
	if c.next(`,"snapshot-id":`) {
		id := c.integer()
		m.SnapshotID = &id
	}
	if c.next(`,"to":`) {
		m.To = c.to()
	}
	if c.next(`,"updates":`) {
		m.Updates = make([]string, 0, 2)
		for c.item(len(m.Updates)) {
			m.Updates = append(m.Updates, c.word())
		}
		c.strange = c.strange || len(m.Updates) == 0
	}
	c.expect(`,"uuid":`)
	m.UUID = c.uuid()
	c.expect("}")
	return m
}

func (c *canonical) from() *From {
	f := &From{}
	c.expect(`{"identifier":`)
	f.Identifier = c.identifier()
	c.expect(`,"pointer":`)
	f.Pointer = c.pointer()
	c.expect("}")
	return f
}

func (c *canonical) to() *To {
	t := &To{}
	c.expect(`{"identifier":`)
	t.Identifier = c.identifier()
	c.expect(`,"location":`)
	t.Location = c.text()
	c.expect(`,"places":`)
	t.Places = []Place{}
	for c.item(len(t.Places)) {
		t.Places = append(t.Places, c.place())
	}
	c.expect(`,"pointer":`)
	t.Pointer = c.pointer()
	c.expect("}")
	return t
}

func (c *canonical) identifier() (id Identifier) {
	start := c.rest
	if len(c.last) > 0 && bytes.HasPrefix(c.rest, c.last) {
		c.rest = c.rest[len(c.last):]
		return c.lastRead
	}
	c.expect(`{"name":`)
	id.Name = c.text()
	c.expect(`,"namespace":`)
	id.Namespace = Namespace{}
	for c.item(len(id.Namespace)) {
		id.Namespace = append(id.Namespace, c.text())
	}
	id.Namespace = slices.Clip(id.Namespace) // whoever appends to one does not to the other
	c.expect("}")
	if !c.strange {
		c.last, c.lastRead = start[:len(start)-len(c.rest)], id
	}
	return id
}

func (c *canonical) place() (p Place) {
	c.expect(`{"path":`)
	p.Path = c.text()
	c.expect(`,"role":`)
	p.Role = c.word()
	c.expect("}")
	return p
}

func (c *canonical) pointer() (p Pointer) {
	c.expect(`{"document-sha256":`)
	p.DocumentSHA256 = c.digest()
	c.expect(`,"encoding":`)
	p.Encoding = Encoding(c.word())
	c.expect(`,"metadata-location":`)
	p.MetadataLocation = c.text()
	c.expect(`,"sha256":`)
	p.SHA256 = c.digest()
	c.expect(`,"size":`)
	p.Size = c.integer()
	c.expect("}")
	return p
}

func (c *canonical) cause() (cause Cause) {
	c.expect(`{"actor":`)
	cause.Actor = Actor(c.word())
	cause.Engine = c.optional(`,"engine":`)
	cause.Key = c.optional(`,"key":`)
	c.expect(`,"origin":`)
	cause.Origin = Origin(c.word())
	cause.RequestID = c.optional(`,"request-id":`)
	c.expect("}")
	return cause
}

// optional is text that is left out when it is empty.
func (c *canonical) optional(name string) string {
	if !c.next(name) {
		return ""
	}
	text := c.text()
	c.strange = c.strange || text == ""
	return text
}
