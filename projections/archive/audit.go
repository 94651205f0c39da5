package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// Audited is what an audit has looked at.
type Audited struct {
	Events int64            // none where there is no archive
	End    journal.Position // of the journal's current incarnation in the archive; zero: it has nothing of it
	Holes  []Hole           // that the journal could seal again: it has the events
}

// Audit looks through a whole archive: every segment is read and checked, that each
// goes on where the one before ends, and that the ends are events of the journal. It
// hands what is wrong to found and goes on behind it: *Damage, with ErrPast where the journal
// of an earlier incarnation does not have those events, ErrNewer, ErrAhead or ErrSecondWriter
// of an incarnation that is current. Incarnations that the journal does not hold are compared
// with nothing, but none may have begun after its current one. The error is the store's or
// the journal's.
func Audit(ctx context.Context, store warehouse.Reader, id uuid.UUID, from journal.Histories, found func(error)) (done Audited, err error) {
	all, err := listSegments(ctx, store, Folder)
	if err != nil {
		return done, err
	}
	held, err := from.Incarnations(ctx, id)
	if err != nil {
		return done, err
	}
	a := &Archive{store: store, id: id, cache: newCache()}
	for incarnation, segments := range all {
		x := auditing{a: a, found: found}
		at := slices.IndexFunc(held, func(i journal.Incarnation) bool { return i.ID == incarnation })
		if at >= 0 {
			x.held = &held[at]
		}
		if err := x.segments(ctx, incarnation, segments); err != nil {
			return done, err
		}
		done.Events += x.events
		if at < 0 {
			x.tellAll(false)
			x.unknown(incarnation, segments[0].first, held)
			continue
		}
		if held[at].Current {
			done.End = x.end
		}
		same, err := x.compare(ctx, from.Incarnation(id, incarnation), held[at])
		x.tellAll(same)
		if err != nil {
			return done, err
		}
		if same {
			done.Holes = append(done.Holes, x.sealable()...)
		}
	}
	return done, nil
}

// auditing is an audit of one incarnation.
type auditing struct {
	a      *Archive
	held   *journal.Incarnation // in the journal; nil: it is not
	found  func(error)
	wrong  []error          // of the objects
	ends   []point          // of the segments that are whole
	end    journal.Position // the last of them
	events int64
	holes  []Hole
}

// unknown tells of an incarnation that the journal does not hold and that is no past.
func (x *auditing) unknown(incarnation uuid.UUID, first journal.Seq, held []journal.Incarnation) {
	for _, i := range held {
		if i.Current && first >= i.First {
			x.found(fmt.Errorf("%w: incarnation %s begins at %d, the journal's current one, %s, at %d", ErrSecondWriter, incarnation, first, i.ID, i.First))
		}
	}
}

// segments looks through the segments.
func (x *auditing) segments(ctx context.Context, incarnation uuid.UUID, segments []listed) error {
	if x.held != nil && x.held.First < segments[0].first {
		missing := x.held.First
		x.wrong = append(x.wrong, damaged(key(incarnation, missing, eventsPart), x.a.id, incarnation, missing, "it is missing"))
		x.holes = append(x.holes, Hole{Incarnation: incarnation, First: missing, Last: segments[0].first - 1})
	}
	var before *segment
	prove := func(ctx context.Context, first journal.Seq) proven { return x.a.prove(ctx, incarnation, first) }
	for i, read := range inOrder(ctx, segments, true, prove) {
		s := read.segment
		if err := x.tell(read.err); err != nil {
			return err
		}
		if s == nil {
			if err := x.spoilt(ctx, incarnation, segments[i:]); err != nil {
				return err
			}
			before = nil
			continue
		}
		if err := x.tell(x.joins(before, s)); err != nil {
			return err
		}
		if err := x.documents(ctx, s, read.documents); err != nil {
			return err
		}
		x.ends, x.events, before, x.end = append(x.ends, s.Last), x.events+int64(len(s.records)), s, s.last()
	}
	return nil
}

// joins tells what is wrong between two segments that are whole.
func (x *auditing) joins(before, s *segment) error {
	switch {
	case before == nil:
		return nil
	case before.Last.Seq+1 < s.First.Seq:
		x.holes = append(x.holes, Hole{Incarnation: s.Incarnation, First: before.Last.Seq + 1, Last: s.First.Seq - 1})
		return before.gap()
	}
	return s.follows(before)
}

// spoilt takes note of a segment whose events are damaged.
func (x *auditing) spoilt(ctx context.Context, incarnation uuid.UUID, segments []listed) error {
	h := Hole{Incarnation: incarnation, First: segments[0].first, Damaged: []string{key(incarnation, segments[0].first, eventsPart)}}
	if len(segments) > 1 {
		h.Last = segments[1].first - 1
	}
	name := key(incarnation, segments[0].first, documentsPart)
	data, err := x.a.store.Get(ctx, name, maxObject)
	if err == nil {
		if _, _, wrong := openDocuments(name, data); wrong != nil {
			h.Damaged = append(h.Damaged, name)
		}
	} else if !errors.Is(err, warehouse.ErrNotFound) {
		return err
	}
	x.holes = append(x.holes, h)
	return nil
}

// proven is a segment that was read whole.
type proven struct {
	segment   *segment
	err       error // why there is none
	documents error // what is wrong with its documents
}

func (a *Archive) prove(ctx context.Context, incarnation uuid.UUID, first journal.Seq) (p proven) {
	if p.segment, p.err = a.segment(ctx, incarnation, first); p.err == nil {
		_, p.documents = a.documents(ctx, p.segment)
	}
	return p
}

// documents takes note of what is wrong with those of a segment.
func (x *auditing) documents(ctx context.Context, s *segment, err error) error {
	var damage *Damage
	if errors.As(err, &damage) {
		h := Hole{Incarnation: s.Incarnation, First: s.First.Seq, Last: s.Last.Seq, Documents: true}
		if _, err := x.a.store.Stat(ctx, damage.Object); err == nil {
			h.Damaged = []string{damage.Object}
		}
		x.holes = append(x.holes, h)
	}
	return x.tell(err)
}

// tell takes note of what is wrong with an object; the error is any other.
func (x *auditing) tell(err error) error {
	var damage *Damage
	if errors.As(err, &damage) || errors.Is(err, ErrNewer) {
		x.wrong = append(x.wrong, err)
		return nil
	}
	return err
}

// tellAll hands over what is wrong with the objects, when it is known whether the journal
// has the same history.
func (x *auditing) tellAll(same bool) {
	for _, err := range x.wrong {
		var damage *Damage
		if errors.As(err, &damage) {
			_, first, _, _ := parseKey(damage.Object)
			if x.held == nil || !x.held.Current && (!same || first > x.held.Head.Seq) {
				err = fmt.Errorf("%w, and the journal does not have it: %w", ErrPast, err)
			}
		}
		x.found(err)
	}
}

// sealable are the holes of which the journal has at least the beginning.
func (x *auditing) sealable() []Hole {
	return slices.DeleteFunc(x.holes, func(h Hole) bool { return h.First > x.held.Head.Seq })
}

// compare looks whether the segments end at events of the journal: whether it has the same
// history. An earlier incarnation may go on in the archive: how far it counts was decided
// when it was left.
func (x *auditing) compare(ctx context.Context, r journal.Reader, i journal.Incarnation) (same bool, err error) {
	ends := x.ends
	for e, err := range r.Scan(ctx, 0) {
		if err != nil {
			return false, err
		}
		for len(ends) > 0 && ends[0].Seq < e.Seq {
			ends = ends[1:]
		}
		if len(ends) == 0 {
			return true, nil
		}
		if ends[0].Seq == e.Seq && ends[0].Hash != e.Hash {
			if i.Current {
				x.found(fmt.Errorf("%w: at %s it holds the hash %s, the journal %s", ErrSecondWriter, e.Position, ends[0].Hash, e.Hash))
			}
			return false, nil
		}
	}
	n := len(ends)
	if n == 0 || ends[n-1].Seq <= i.Head.Seq || !i.Current {
		return true, nil
	}
	x.found(fmt.Errorf("%w: it ends at %s:%d, the journal at %s", ErrAhead, i.ID, ends[n-1].Seq, i.Head))
	return false, nil
}
