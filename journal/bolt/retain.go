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
	spared  map[made]bool // but for these: nothing newer was made of their objects
}

// erases tells whether a document is not retained.
func (r retention) erases(m made) bool { return m.seq < r.horizon && !r.spared[m] }

// newest is what an object has, or had last.
type newest struct {
	document journal.Digest
	made     []made // the moves to it, one after the other
	gone     bool
	purged   bool // and it does not come back
}

// retentionOf reads an incarnation: all documents made before a moment are not
// retained, but for those that their objects have, or had when they went. Those of a
// table whose purge is closed are not spared: it does not come back.
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
		for i, m := range e.Moves() {
			note(objects, m, made{e.Seq, i})
		}
	}
	for _, o := range objects {
		for _, m := range o.made {
			if m.seq < r.horizon && !o.purged {
				r.spared[m] = true
			}
		}
	}
	return r, nil
}

// note follows one object.
func note(objects map[uuid.UUID]*newest, m journal.Move, at made) {
	o := objects[m.UUID]
	if o == nil {
		o = &newest{}
		objects[m.UUID] = o
	}
	if o.gone = m.To == nil; o.gone {
		return
	}
	o.purged = false
	if o.document != m.To.Pointer.DocumentSHA256 {
		o.document, o.made = m.To.Pointer.DocumentSHA256, o.made[:0]
	}
	o.made = append(o.made, at)
}
