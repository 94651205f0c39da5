package archive

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"puddle/journal"
)

// Hole is what an audit has found to be gone or damaged, and what a journal can seal
// again: see [Seal].
type Hole struct {
	Incarnation uuid.UUID
	First, Last journal.Seq // Last 0: up to the journal's end
	Documents   bool        // the events are whole, their documents are not
	Damaged     []string    // the objects that are there and are no segment
}

// String names what is to be sealed.
func (h Hole) String() string {
	what := "events"
	if h.Documents {
		what = "the documents of events"
	}
	if h.Last == 0 {
		return fmt.Sprintf("%s from %s:%s on", what, h.Incarnation, h.First)
	}
	return fmt.Sprintf("%s %s:%s to %s", what, h.Incarnation, h.First, h.Last)
}

// ErrOtherDocuments: the journal keeps documents in another form than the archive's events
// say, or no longer. They cannot be sealed again.
var ErrOtherDocuments = errors.New("archive: the journal keeps its documents otherwise since it was compacted")

// Seal seals again what is gone from an archive, from a journal that is known to be whole.
// What lies there and is damaged is first handed to aside, which copies it, and then
// replaced; what is not damaged is never replaced. It is idempotent. ErrSecondWriter where
// the object is of another history; ErrOtherDocuments.
func Seal(ctx context.Context, o Options, h Hole, aside func(context.Context, string) error) error {
	s := newSealer(o, func(journal.Position) {})
	r := o.From.Incarnation(o.ID, h.Incarnation)
	prev, head, err := around(ctx, r, h.First)
	if err != nil {
		return err
	}
	for _, name := range h.Damaged {
		if err := s.strange(ctx, name, prev); err != nil {
			return err
		}
		if err := aside(ctx, name); err != nil {
			return err
		}
		// A copy is durable. A crash from here on leaves what was there, or a segment.
		s.spoil[name] = true
	}
	if h.Documents {
		return s.sealDocuments(ctx, r, h)
	}
	s.hint = hint{First: head.Seq} // which stays as it is
	s.ends[h.Incarnation] = prev
	last := h.Last
	if last == 0 || last > head.Seq {
		last = head.Seq
	} else {
		s.taken[h.Incarnation] = []journal.Seq{last + 1}
	}
	for until := journal.Seq(0); s.ends[h.Incarnation].Seq < last; {
		if until, err = s.advance(ctx, r, h.Incarnation, until); err != nil {
			return err
		}
	}
	return nil
}

// around is the position before an event, which is zero before the first, and the head.
func around(ctx context.Context, r journal.Reader, first journal.Seq) (prev, head journal.Position, err error) {
	if head, err = r.Head(ctx); err != nil {
		return prev, head, err
	}
	for e, err := range r.Scan(ctx, first-1) {
		if err != nil {
			return prev, head, err
		}
		if _, starts := e.Body.(journal.IncarnationStarted); !starts || e.Seq != first {
			prev = journal.Position{Incarnation: e.Incarnation, Seq: first - 1, Hash: e.Prev}
		}
		return prev, head, nil
	}
	return prev, head, fmt.Errorf("%w: %d", journal.ErrNoEvent, first)
}

// strange refuses to replace an object that says of itself that it is of another history.
func (s *sealer) strange(ctx context.Context, name string, prev journal.Position) error {
	data, err := s.store.Get(ctx, name, maxObject)
	if err != nil {
		return err
	}
	h, _, err := parse(name, data)
	if err == nil && (h.Warehouse != s.id || !prev.IsZero() && h.Prev != prev.Hash) {
		return fmt.Errorf("%w: %s is of warehouse %s and links to %s", ErrSecondWriter, name, h.Warehouse, h.Prev)
	}
	if errors.Is(err, ErrNewer) {
		return err
	}
	return nil
}

// sealDocuments writes the documents of a segment again, if they are what its events name.
func (s *sealer) sealDocuments(ctx context.Context, r journal.Reader, h Hole) error {
	a := &Archive{store: s.store, id: s.id, cache: newCache()}
	events, err := a.segment(ctx, h.Incarnation, h.First)
	if err != nil {
		return err
	}
	var c cutting
	for e, err := range r.(journal.Entries).Entries(ctx, h.First-1) {
		if err != nil {
			return err
		}
		if c.add(e); e.Event.Seq == h.Last {
			break
		}
	}
	named, data, err := c.beside()
	if err != nil {
		return err
	}
	if data == nil || named.SHA256 != events.Documents.SHA256 || named.Last != events.Last {
		return fmt.Errorf("%w: events %s:%s to %s", ErrOtherDocuments, h.Incarnation, h.First, h.Last)
	}
	_, err = s.claim(ctx, r, named, data)
	return err
}

// look finds the segments behind where an incarnation's archive seems to end: what is
// before them is gone.
func (s *sealer) look(ctx context.Context, incarnation uuid.UUID, end journal.Seq) error {
	all, err := listSegments(ctx, s.store, Folder+"/"+incarnation.String())
	if err != nil {
		return err
	}
	s.taken[incarnation] = nil
	for _, l := range all[incarnation] {
		if l.first > end {
			s.taken[incarnation] = append(s.taken[incarnation], l.first)
		}
	}
	return nil
}

// next is the first seq of the next segment that is there; 0: there is none.
func (s *sealer) next(incarnation uuid.UUID) journal.Seq {
	for taken := s.taken[incarnation]; len(taken) > 0; taken = taken[1:] {
		if taken[0] > s.ends[incarnation].Seq {
			s.taken[incarnation] = taken
			return taken[0]
		}
	}
	delete(s.taken, incarnation)
	return 0
}

// pass goes behind segments that are there, and tells whether there were any.
func (s *sealer) pass(ctx context.Context, r journal.Reader, incarnation uuid.UUID) (bool, error) {
	next := s.next(incarnation)
	if next == 0 || next != s.ends[incarnation].Seq+1 {
		return false, nil
	}
	end, n, err := walk(ctx, s.store, incarnation, next)
	if err != nil || n == 0 {
		return false, err
	}
	if err := ours(ctx, s.store, s.id, r, end); err != nil {
		return false, err
	}
	s.ends[incarnation] = end
	s.reached(end)
	return true, nil
}
