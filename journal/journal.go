package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/google/uuid"
)

// Limits of one group of entries appended together (formats §3). A single entry
// may be larger than MaxGroupBytes: it then goes alone, or with the start of an
// incarnation.
const (
	MaxGroupEntries = 512
	MaxGroupBytes   = 8 << 20
)

// When a journal is opened.
var (
	// ErrLocked: another process has the journal open.
	ErrLocked = errors.New("journal is in use by another process")
	// ErrFormat: the file is no journal, or a newer build wrote it.
	ErrFormat = errors.New("journal format is not readable by this build")
)

// When a journal is read.
var (
	// ErrNoWarehouse: the journal holds no history of that warehouse.
	ErrNoWarehouse = errors.New("journal has no such warehouse")
	// ErrNoEvent: no event at that seq, or no such move in it.
	ErrNoEvent = errors.New("journal has no such event")
	// ErrNotKept: the document was over the limit; only its digest is known.
	ErrNotKept = errors.New("document was not kept")
	// ErrErased: the document was kept and has been erased since.
	ErrErased = errors.New("document was erased")
)

// When a journal is written.
var (
	// ErrNotNext: an entry does not follow the head. Nothing was written.
	ErrNotNext = errors.New("event does not follow the head of the journal")
	// ErrUnknownOutcome: the group may or may not be durable, and nobody can look.
	// An embedded journal is closed to writes by it: only opening it again tells. In a
	// database the next append sees what is there.
	ErrUnknownOutcome = errors.New("outcome of the append is unknown")
	// ErrClosed: the journal or its writer is closed. Nothing was written.
	ErrClosed = errors.New("journal is closed")
)

// Damage is a place in a journal whose bytes are not what was written there.
type Damage struct {
	Warehouse   uuid.UUID
	Incarnation uuid.UUID
	Seq         Seq
	Base        Seq // where the document at Seq is whole, but built on one that is not: its event
	Reason      string
}

// Error names the place, as far as it is known, and what is wrong there.
func (d *Damage) Error() string {
	if d.Warehouse == uuid.Nil {
		return "journal is damaged: " + d.Reason
	}
	return fmt.Sprintf("journal is damaged at %s:%d of warehouse %s: %s", d.Incarnation, d.Seq, d.Warehouse, d.Reason)
}

// Reader reads the history of one warehouse's current incarnation. Safe for
// concurrent use, also beside appends; what was appended before a call began is
// seen by it. Damage is reported as *Damage.
type Reader interface {
	// Head is the position of the newest event. ErrNoWarehouse before birth.
	Head(ctx context.Context) (Position, error)
	// Find looks an event up by its id.
	Find(ctx context.Context, id uuid.UUID) (Event, bool, error)
	// Scan yields the events after a seq, ascending, without gaps, each checked
	// to link to the one before. It sees what was there when it began and
	// perhaps more. It never holds the journal open for long: the consumer may
	// be slow. An error ends it. Before birth it yields nothing.
	Scan(ctx context.Context, after Seq) iter.Seq2[Event, error]
	// ScanBack yields the events before a seq, newest first, each checked to be
	// what the one after it links to. before 0 means from the head.
	ScanBack(ctx context.Context, before Seq) iter.Seq2[Event, error]
	// Document is the inflated metadata file that a move made, checked against
	// the digest in the chain. ErrNoEvent, ErrNotKept or ErrErased.
	Document(ctx context.Context, seq Seq, move int) ([]byte, error)
	// Answered is what became of the request to which an actor's idempotency
	// key is bound at a moment. A journal of an unborn warehouse binds none.
	Answered(ctx context.Context, actor Actor, key string, now time.Time) (Answer, bool, error)
}

// Writer appends. One goroutine at a time may call it, the recorder's, who alone
// moves the head; where several processes append, the writer says so.
type Writer interface {
	// Append makes a group of entries durable, all or none, before it returns.
	// Entries may be of several warehouses; those of one follow its head in
	// order, and an incarnation-started may begin a warehouse's history.
	// A request of an entry binds its key at the event's At, and a few requests
	// that have expired by then are forgotten (MaxPruned).
	// A document that is a patch needs its base to be there before the group.
	// ErrNotNext, ErrKeyTaken, ErrTooLarge, ErrNoBase, ErrClosed and any error that is not
	// named here, such as a full disk's: surely nothing was written, however far
	// it came. After the last the same group may be tried again.
	// ErrUnknownOutcome: see there.
	Append(ctx context.Context, entries ...Entry) error
	// Remember makes answers that wrote no event durable, all or none, before it
	// returns: it binds their keys at a moment, in the current incarnation of a
	// warehouse, and forgets as Append does. ErrKeyTaken when one of them is
	// bound already; ErrNoWarehouse; the others as for Append.
	Remember(ctx context.Context, warehouse uuid.UUID, now time.Time, answers ...Answer) error
}

// Journal is the histories of all warehouses that share one writer.
type Journal interface {
	Writer
	// Warehouses lists the ids of those that were born here, ascending.
	Warehouses(ctx context.Context) ([]uuid.UUID, error)
	Histories
	// Close waits for calls under way and gives the files back. Idempotent.
	Close() error
}
