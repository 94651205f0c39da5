package archive

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// Audit looks through a whole archive: every segment is read and checked, that each
// goes on where the one before ends, and that the ends are events of the journal. It
// hands what is wrong to found and goes on behind it: *Damage, ErrNewer, ErrAhead or
// ErrSecondWriter of an incarnation that is current. How many events were looked at;
// none where there is no archive. Incarnations that the journal does not hold are
// compared with nothing. The error is the store's or the journal's.
func Audit(ctx context.Context, store warehouse.Reader, id uuid.UUID, from journal.Histories, found func(error)) (events int64, err error) {
	all, err := listed(ctx, store, Folder)
	if err != nil {
		return 0, err
	}
	held, err := from.Incarnations(ctx, id)
	if err != nil {
		return 0, err
	}
	a := &Archive{store: store, id: id, cache: newCache()}
	for incarnation, firsts := range all {
		x := auditing{a: a, found: found}
		if err := x.segments(ctx, incarnation, firsts); err != nil {
			return events, err
		}
		events += x.events
		for _, i := range held {
			if i.ID == incarnation {
				if err := x.compare(ctx, from.Incarnation(id, incarnation), i); err != nil {
					return events, err
				}
			}
		}
	}
	return events, nil
}

// auditing is an audit of one incarnation.
type auditing struct {
	a      *Archive
	found  func(error)
	ends   []point // of the segments that are whole
	events int64
}

// segments looks through the segments.
func (x *auditing) segments(ctx context.Context, incarnation uuid.UUID, firsts []journal.Seq) error {
	var before *segment
	for _, first := range firsts {
		s, err := x.a.segment(ctx, incarnation, first)
		if err := x.tell(err); err != nil {
			return err
		}
		if s == nil {
			before = nil
			continue
		}
		if before != nil && before.Last.Seq+1 < first {
			err = before.gap()
		} else if before != nil {
			err = s.follows(before)
		}
		if err := x.tell(err); err != nil {
			return err
		}
		if _, err := x.a.documents(ctx, s); x.tell(err) != nil {
			return err
		}
		x.ends, x.events, before = append(x.ends, s.Last), x.events+int64(len(s.records)), s
	}
	return nil
}

// tell hands over what is wrong with an object; the error is any other.
func (x *auditing) tell(err error) error {
	var damage *Damage
	if errors.As(err, &damage) || errors.Is(err, ErrNewer) {
		x.found(err)
		return nil
	}
	return err
}

// compare looks whether the segments end at events of the journal.
func (x *auditing) compare(ctx context.Context, r journal.Reader, i journal.Incarnation) error {
	ends := x.ends
	for e, err := range r.Scan(ctx, 0) {
		if err != nil {
			return err
		}
		for len(ends) > 0 && ends[0].Seq < e.Seq {
			ends = ends[1:]
		}
		if len(ends) == 0 {
			return nil
		}
		if ends[0].Seq == e.Seq && ends[0].Hash != e.Hash {
			if i.Current {
				x.found(fmt.Errorf("%w: at %s it holds the hash %s, the journal %s", ErrSecondWriter, e.Position, ends[0].Hash, e.Hash))
			}
			return nil
		}
	}
	if n := len(ends); n > 0 && ends[n-1].Seq > i.Head.Seq && i.Current {
		x.found(fmt.Errorf("%w: it ends at %s:%d, the journal at %s", ErrAhead, i.ID, ends[n-1].Seq, i.Head))
	}
	return nil
}
