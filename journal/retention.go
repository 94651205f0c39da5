package journal

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// Retention says which documents of one incarnation are not retained.
type Retention struct {
	horizon Seq              // those of the events before it
	spared  map[shelved]bool // but for these: their objects have them, or had them last
}

// shelved names a move of an event.
type shelved struct {
	seq  Seq
	move int
}

// Erases tells whether the document that a move of an event made is not retained. The zero Retention
// retains all.
func (r Retention) Erases(seq Seq, move int) bool {
	return seq < r.horizon && !r.spared[shelved{seq, move}]
}

// Retain finds what is retained of the incarnations of a warehouse that are kept, which come
// the older first: what is younger than an age, and what their objects have, or had when they
// went and could come back. Ages are told by the dates of events, and at the moment of the
// last one, or at now where that is earlier: a clock that went astray since erases nothing
// that is not as old by its events.
func Retain(ctx context.Context, of Histories, warehouse uuid.UUID, kept []uuid.UUID, age time.Duration, now time.Time) (map[uuid.UUID]Retention, error) {
	for last, err := range of.Warehouse(warehouse).ScanBack(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if last.At.Before(now) {
			now = last.At
		}
		break
	}
	have := possessions{}
	all := map[uuid.UUID]Retention{}
	for _, id := range kept {
		horizon, err := have.follow(ctx, of.Incarnation(warehouse, id), now.Add(-age))
		if err != nil {
			return nil, err
		}
		all[id] = Retention{horizon: horizon}
	}
	for _, id := range kept {
		r, err := have.retention(ctx, of.Incarnation(warehouse, id), all[id].horizon)
		if err != nil {
			return nil, err
		}
		all[id] = r
	}
	return all, nil
}

// possessions are what the objects of one warehouse have, or had last, by all of its
// incarnations that are kept: a recovery may have brought back what an earlier one made,
// without a copy of its own, and a purge may have been closed in a later one.
type possessions map[uuid.UUID]*newest

// newest is what an object has, or had last.
type newest struct {
	document Digest
	before   map[Digest]bool // that it had at the end of earlier incarnations
	gone     bool
	purged   bool // and it does not come back
}

// has tells whether a document is one that the object has, or had when it went: whichever
// move made it, since it may have been brought back to an earlier version. A table whose
// purge is closed has none: it does not come back.
func (n *newest) has(document Digest) bool {
	return n != nil && !n.purged && (n.document == document || n.before[document])
}

// follow goes through the next incarnation, the older ones first. It answers the seq from
// which on its events are of a moment or later.
func (p possessions) follow(ctx context.Context, from Reader, moment time.Time) (horizon Seq, err error) {
	for _, o := range p {
		if o.before == nil {
			o.before = map[Digest]bool{}
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
		if b, ok := e.Body.(TablePurged); ok && p[b.Table] != nil {
			p[b.Table].purged = p[b.Table].gone
		}
		for _, m := range e.Moves() {
			p.note(m)
		}
	}
	return horizon, nil
}

// note follows one object.
func (p possessions) note(m Move) {
	o := p[m.UUID]
	if o == nil {
		o = &newest{}
		p[m.UUID] = o
	}
	if o.gone = m.To == nil; !o.gone {
		o.document, o.purged = m.To.Pointer.DocumentSHA256, false
	}
}

// retention finds what is not retained of an incarnation: all documents made before the
// horizon, but for those that their objects have.
func (p possessions) retention(ctx context.Context, from Reader, horizon Seq) (Retention, error) {
	r := Retention{horizon: horizon, spared: map[shelved]bool{}}
	for e, err := range from.Scan(ctx, 0) {
		if err != nil || e.Seq >= horizon {
			return r, err
		}
		for i, m := range e.Moves() {
			if m.To != nil && p[m.UUID].has(m.To.Pointer.DocumentSHA256) {
				r.spared[shelved{e.Seq, i}] = true
			}
		}
	}
	return r, nil
}
