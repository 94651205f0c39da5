package journal

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// Flaw is a place in a journal that an audit found not to be as it was written.
type Flaw struct {
	Damage
	// Beside: the chain of events is whole there; a document, an id or a request
	// that is kept beside it is not.
	Beside bool
	// Torn: the last write was cut off, or its meta page was damaged afterwards. What
	// is there is whole, and of a journal that was anchored nothing can be missing
	// unseen.
	Torn bool
	// Absent: a document that an event made is not kept. It was erased, or else
	// over the limit then, or is lost.
	Absent *Absent
}

// Absent is a document that is named in the chain alone.
type Absent struct {
	Move    int
	Pointer Pointer
	Erased  bool // by a compaction that was asked to
}

// Audited is what an audit has read.
type Audited struct {
	Incarnations int64 `json:"incarnations"`
	Events       int64 `json:"events"`
	Documents    int64 `json:"documents"`
	Requests     int64 `json:"requests"`
	// Through is the last event that was looked at of each incarnation.
	Through map[uuid.UUID]Position `json:"through"`
}

// ErrNotAudited: what an audit is to go on from is not of this journal's history.
var ErrNotAudited = errors.New("journal is not the one that was looked through before")

// Auditor is a journal that can look through everything it holds.
type Auditor interface {
	// Audit reads all that is held of a warehouse, its earlier incarnations
	// included: every record, by checksum and chain, every id, document and
	// answer, and what is there that should not be. It hands each flaw to found
	// and goes on behind it. Safe beside appends: it sees what was there when it
	// began, and perhaps more. The error says that it could not look.
	Audit(ctx context.Context, warehouse uuid.UUID, found func(Flaw)) (Audited, error)
	// AuditAfter is Audit that leaves out the events, with their documents, which an
	// earlier one has looked at, and counts on from it: ErrNotAudited when they are
	// not there. It tells now and then how far it is, for another one to go on from:
	// what it found until then it does not find again.
	AuditAfter(ctx context.Context, warehouse uuid.UUID, after Audited, found func(Flaw), reached func(Audited)) (Audited, error)
}

// Files is a Reader that also gives what it keeps as it lay in storage.
type Files interface {
	// File is the metadata file that a move made: the gzip file itself where that was
	// kept, else the document. Its document is checked as Document does, and the
	// errors are the same.
	File(ctx context.Context, seq Seq, move int) ([]byte, error)
}
