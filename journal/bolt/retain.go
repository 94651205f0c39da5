package bolt

import (
	"context"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// made names the document that a move of an event made.
type made struct {
	seq  journal.Seq
	move int
}

// retention says which documents of one incarnation are not retained.
type retention struct {
	horizon journal.Seq   // those of the events before it
	spared  map[made]bool // but for these: their objects have them, or had them last
}

// erases tells whether a document is not retained.
func (r retention) erases(m made) bool { return m.seq < r.horizon && !r.spared[m] }

// newest is what an object has, or had last.
type newest struct {
	document journal.Digest
	gone     bool
	purged   bool // and it does not come back
}

// retentionOf reads an incarnation: all documents made before a moment are not
// retained, but for those that their objects have, or had when they went, whichever
// move made them: an object may have been brought back to an earlier version. Those of
// a table whose purge is closed are not spared: it does not come back.
func retentionOf(ctx context.Context, from journal.Reader, before time.Time) (retention, error) {
	r := retention{spared: map[made]bool{}}
	objects := map[uuid.UUID]*newest{}
	for e, err := range from.Scan(ctx, 0) {
		if err != nil {
			return r, err
		}
		if e.At.Before(before) {
			r.horizon = e.Seq + 1
		}
		if b, ok := e.Body.(journal.TablePurged); ok && objects[b.Table] != nil {
			objects[b.Table].purged = objects[b.Table].gone
		}
		for _, m := range e.Moves() {
			note(objects, m)
		}
	}
	return r, r.spare(ctx, from, objects)
}

// note follows one object.
func note(objects map[uuid.UUID]*newest, m journal.Move) {
	o := objects[m.UUID]
	if o == nil {
		o = &newest{}
		objects[m.UUID] = o
	}
	if o.gone = m.To == nil; !o.gone {
		o.document, o.purged = m.To.Pointer.DocumentSHA256, false
	}
}

// spare finds the moves before the horizon that led objects to what they have.
func (r retention) spare(ctx context.Context, from journal.Reader, objects map[uuid.UUID]*newest) error {
	for e, err := range from.Scan(ctx, 0) {
		if err != nil || e.Seq >= r.horizon {
			return err
		}
		for i, m := range e.Moves() {
			if o := objects[m.UUID]; m.To != nil && !o.purged && m.To.Pointer.DocumentSHA256 == o.document {
				r.spared[made{e.Seq, i}] = true
			}
		}
	}
	return nil
}
