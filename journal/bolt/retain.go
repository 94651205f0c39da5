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

// lineage is what the objects of one warehouse have, or had last, by all of its
// incarnations that are kept: a recovery may have brought back what an earlier one made,
// without a copy of its own, and a purge may have been closed in a later one.
type lineage map[uuid.UUID]*newest

// newest is what an object has, or had last.
type newest struct {
	document journal.Digest
	before   map[journal.Digest]bool // that it had at the end of earlier incarnations
	gone     bool
	purged   bool // and it does not come back
}

// has tells whether a document is one that the object has, or had when it went: whichever
// move made it, since it may have been brought back to an earlier version. A table whose
// purge is closed has none: it does not come back.
func (n *newest) has(document journal.Digest) bool {
	return n != nil && !n.purged && (n.document == document || n.before[document])
}

// follow goes through the next incarnation, the older ones first. It answers the seq from
// which on its events are of a moment or later.
func (l lineage) follow(ctx context.Context, from journal.Reader, moment time.Time) (horizon journal.Seq, err error) {
	for _, o := range l {
		if o.before == nil {
			o.before = map[journal.Digest]bool{}
		}
		o.before[o.document] = true
	}
	for e, err := range from.Scan(ctx, 0) {
		if err != nil {
			return 0, err
		}
		if e.At.Before(moment) {
			horizon = e.Seq + 1
		}
		if b, ok := e.Body.(journal.TablePurged); ok && l[b.Table] != nil {
			l[b.Table].purged = l[b.Table].gone
		}
		for _, m := range e.Moves() {
			l.note(m)
		}
	}
	return horizon, nil
}

// note follows one object.
func (l lineage) note(m journal.Move) {
	o := l[m.UUID]
	if o == nil {
		o = &newest{}
		l[m.UUID] = o
	}
	if o.gone = m.To == nil; !o.gone {
		o.document, o.purged = m.To.Pointer.DocumentSHA256, false
	}
}

// retention finds what is not retained of an incarnation: all documents made before the
// horizon, but for those that their objects have.
func (l lineage) retention(ctx context.Context, from journal.Reader, horizon journal.Seq) (retention, error) {
	r := retention{horizon: horizon, spared: map[made]bool{}}
	for e, err := range from.Scan(ctx, 0) {
		if err != nil || e.Seq >= horizon {
			return r, err
		}
		for i, m := range e.Moves() {
			if m.To != nil && l[m.UUID].has(m.To.Pointer.DocumentSHA256) {
				r.spared[made{e.Seq, i}] = true
			}
		}
	}
	return r, nil
}
