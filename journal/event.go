package journal

import (
	"fmt"
	"hash/crc32"
	"time"

	"github.com/google/uuid"
)

// Draft is a decided request on its way into the journal. ID is a UUIDv7, fixed
// before the first attempt, so that an unknown outcome can be looked up. Request
// binds its idempotency key, which is the one in Cause, in the same step; nil: it
// has none.
type Draft struct {
	Warehouse uuid.UUID
	ID        uuid.UUID
	Cause     Cause
	Body      Body
	Documents []Document
	Request   *Request
}

// Event is one accepted request: one atomic fact, also when it moves several
// tables. At is the journal's time: never before the event's predecessor. Wall
// is the raw clock; see ClockSuspect. Both are UTC in milliseconds.
type Event struct {
	Position
	Warehouse uuid.UUID
	ID        uuid.UUID
	At, Wall  time.Time
	Prev      Digest
	Cause     Cause
	Body      Body
}

// Kind is the kind of the event's body.
func (e Event) Kind() Kind { return e.Body.Kind() }

// Moves are the steps that tables and views made in this event; none for the
// events of namespaces and of the journal itself.
func (e Event) Moves() []Move { return e.Body.moves() }

// DocumentDigest is the digest of the inflated metadata file that a move made.
// ErrNoEvent when there is no such move or it made none: the object was dropped.
func (e Event) DocumentDigest(move int) (Digest, error) {
	moves := e.Moves()
	if move < 0 || move >= len(moves) || moves[move].To == nil {
		return Digest{}, fmt.Errorf("%w: move %d of event %s made no document", ErrNoEvent, move, e.Position)
	}
	return moves[move].To.Pointer.DocumentSHA256, nil
}

// ClockSuspect tells that the wall clock stood further ahead than the time the
// machine has been up allows, so that At did not follow it.
func (e Event) ClockSuspect() bool { return e.Wall.After(e.At) }

// Entry is an event as it is appended: with the bytes that its hash covers and
// the documents and the request kept beside the chain. One that a Chain or DecodeEntry
// formed remembers that, and is not hashed again while its bytes are the same.
type Entry struct {
	Event     Event
	Record    []byte
	Documents []Document
	Request   *Request

	formed proof // zero: by somebody else
}

// Size is about how many bytes the entry adds to a journal.
func (e Entry) Size() int {
	n := len(e.Record)
	for _, d := range e.Documents {
		n += len(d.Data)
	}
	return n
}

// proof is a hash that was computed, of what: a checksum stands for the bytes. To
// compare it is many times faster than to hash them again.
type proof struct {
	prev, hash Digest
	record     uint32
}

func (e *Entry) proof() proof {
	return proof{e.Event.Prev, e.Event.Hash, crc32.Checksum(e.Record, castagnoli)}
}

// linked tells whether the event's hash is that of its bytes.
func (e *Entry) linked() bool {
	return e.formed != (proof{}) && e.formed == e.proof() || Link(e.Event.Prev, e.Record) == e.Event.Hash
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
