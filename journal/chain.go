package journal

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// hashTag separates the hashes of events from every other use of SHA-256.
const hashTag = "puddle/event/1\n"

// Genesis is what the first record of an incarnation links to: SHA-256 over the
// tag, the warehouse's id and the incarnation's id, each as 16 bytes.
func Genesis(warehouse, incarnation uuid.UUID) Digest {
	h := sha256.New()
	h.Write([]byte(hashTag))
	h.Write(warehouse[:])
	h.Write(incarnation[:])
	return Digest(h.Sum(nil))
}

// Link is the hash of a record: SHA-256 over the tag, the hash of the record
// before it and the record's canonical bytes.
func Link(prev Digest, record []byte) Digest {
	h := sha256.New()
	h.Write([]byte(hashTag))
	h.Write(prev[:])
	h.Write(record)
	h.Sum(prev[:0])
	return prev
}

// Chain is the end of one warehouse's history: where the next event goes. It is
// a value: a copy can be tried and thrown away.
type Chain struct {
	Warehouse uuid.UUID
	Head      Position
	At        time.Time // of the event at Head
}

// NewChain is the empty history of an incarnation whose first event will have
// the seq after before.
func NewChain(warehouse, incarnation uuid.UUID, before Seq) Chain {
	return Chain{Warehouse: warehouse, Head: Position{
		Incarnation: incarnation, Seq: before, Hash: Genesis(warehouse, incarnation),
	}}
}

// ChainAt is the history that ends with e.
func ChainAt(e Event) Chain { return Chain{Warehouse: e.Warehouse, Head: e.Position, At: e.At} }

// Next forms the event that d becomes here and now, and the chain that ends
// with it. It changes nothing; errors wrap ErrTooLarge or ErrRecord.
func (c Chain) Next(d Draft, now Instant) (Entry, Chain, error) {
	at := now.Trusted
	if at.Before(c.At) {
		at = c.At
	}
	e := Event{
		Position:  Position{Incarnation: c.Head.Incarnation, Seq: c.Head.Seq + 1},
		Warehouse: c.Warehouse, ID: d.ID, At: fromMillis(at.UnixMilli()), Wall: fromMillis(now.Wall.UnixMilli()),
		Prev: c.Head.Hash, Cause: d.Cause, Body: d.Body,
	}
	record, err := encode(e)
	if err != nil {
		return Entry{}, c, err
	}
	e.Hash = Link(e.Prev, record)
	entry := Entry{Event: e, Record: record, Documents: d.Documents, Request: d.Request}
	entry.formed = entry.proof()
	return entry, ChainAt(e), nil
}

// Follow checks that e is the next event of this history: same warehouse and
// incarnation, the next seq, linked to the head, not earlier. It answers the
// chain that ends with e; the error wraps ErrNotNext.
func (c Chain) Follow(e Event) (Chain, error) {
	switch {
	case e.Warehouse != c.Warehouse:
		return c, fmt.Errorf("%w: event %s is of warehouse %s, not %s", ErrNotNext, e.Position, e.Warehouse, c.Warehouse)
	case e.Incarnation != c.Head.Incarnation:
		return c, fmt.Errorf("%w: event %s is of another incarnation than %s", ErrNotNext, e.Position, c.Head)
	case e.Seq != c.Head.Seq+1:
		return c, fmt.Errorf("%w: event %s comes after %s", ErrNotNext, e.Position, c.Head)
	case e.Prev != c.Head.Hash:
		return c, fmt.Errorf("%w: event %s does not link to %s", ErrNotNext, e.Position, c.Head)
	case e.At.Before(c.At):
		return c, fmt.Errorf("%w: event %s is dated before its predecessor", ErrNotNext, e.Position)
	}
	return ChainAt(e), nil
}
