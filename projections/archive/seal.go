package archive

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// sealer writes the segments of a warehouse. One goroutine uses it.
type sealer struct {
	id     uuid.UUID
	store  warehouse.Store
	from   journal.Histories
	told   func(journal.Position) // how far the archive of the current incarnation is
	failed func(error)
	others bool
	events int // of a segment

	hint    hint
	since   int                            // segments behind the hint
	current uuid.UUID                      // the incarnation to which new events go
	ends    map[uuid.UUID]journal.Position // of the incarnations that were looked for
	taken   map[uuid.UUID][]journal.Seq    // first seqs of segments behind those ends: what is before them is gone
	spoil   map[string]bool                // objects that are damaged, to be replaced
	lost    map[uuid.UUID]bool             // earlier incarnations of which nothing more can be archived
}

func newSealer(o Options, told func(journal.Position)) *sealer {
	return &sealer{
		id: o.ID, store: o.Store, from: o.From, told: told, failed: o.Failed, others: o.Others, events: MaxSegmentEvents,
		ends: map[uuid.UUID]journal.Position{}, taken: map[uuid.UUID][]journal.Seq{}, spoil: map[string]bool{}, lost: map[uuid.UUID]bool{},
	}
}

// seal brings the archive up to the journal: every incarnation, the oldest first. What
// keeps an earlier one from being archived, for good, is told once and keeps no other.
func (s *sealer) seal(ctx context.Context) error {
	all, err := s.from.Incarnations(ctx, s.id)
	if err == nil && s.others {
		err = s.pointAgain(ctx)
	}
	if err != nil {
		return err
	}
	for _, i := range all {
		if s.lost[i.ID] {
			continue
		}
		if i.Current {
			s.current = i.ID
		}
		err := s.sealOne(ctx, i)
		var damage *journal.Damage // of the archive, or of the journal
		broken := errors.As(err, &damage)
		switch {
		case err == nil:
		case i.Current || !broken && !Final(err):
			return err
		default:
			s.lost[i.ID] = true
			if broken {
				err = fmt.Errorf("%w: %w", ErrPast, err)
			}
			if !errors.Is(err, ErrAhead) { // what the archive has beyond is of a past that was left
				s.failed(err)
			}
		}
	}
	return nil
}

// reached tells how far the archive of an incarnation is, if that is the current one.
func (s *sealer) reached(end journal.Position) {
	if end.Incarnation == s.current {
		s.told(end)
	}
}

// sealOne brings the archive of one incarnation up.
func (s *sealer) sealOne(ctx context.Context, i journal.Incarnation) error {
	r := s.from.Incarnation(s.id, i.ID)
	end, known := s.ends[i.ID]
	if !known {
		var err error
		if end, err = s.find(ctx, r, i.ID); err != nil {
			return err
		}
		if end.Seq < i.Head.Seq {
			if err := s.look(ctx, i.ID, end.Seq); err != nil {
				return err
			}
		}
		s.ends[i.ID] = end
	}
	if !end.IsZero() {
		s.reached(end)
	}
	until := journal.Seq(0)
	for s.ends[i.ID].Seq < i.Head.Seq {
		passed, err := s.pass(ctx, r, i.ID)
		if err == nil && !passed {
			until, err = s.advance(ctx, r, i.ID, until)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// find looks where the archive of an incarnation ends, and that it is of this
// journal.
func (s *sealer) find(ctx context.Context, r journal.Reader, incarnation uuid.UUID) (end journal.Position, err error) {
	if s.hint.First == 0 {
		if s.hint, err = readHint(ctx, s.store); err != nil {
			return end, err
		}
	}
	end, from, behind, err := ends(ctx, s.store, incarnation, s.hint)
	if err != nil || end.IsZero() {
		return end, err
	}
	if err := ours(ctx, s.store, s.id, r, end); err != nil {
		return end, err
	}
	if s.hint.Incarnation == incarnation {
		s.since = behind
	} else if s.others && incarnation == s.current { // somebody has set it back
		err = s.pointTo(ctx, hint{Incarnation: incarnation, First: from})
	}
	return end, err
}

// advance seals what follows the end of an incarnation's archive: until a given
// event, else all that is there. It ends early where an attempt before this one has
// begun a segment that ends elsewhere, and says where.
func (s *sealer) advance(ctx context.Context, r journal.Reader, incarnation uuid.UUID, until journal.Seq) (journal.Seq, error) {
	keeps, ok := r.(journal.Entries)
	if !ok {
		return 0, fmt.Errorf("archive: %T yields no entries", r)
	}
	var c cutting
	before := s.next(incarnation)
	for e, err := range keeps.Entries(ctx, s.ends[incarnation].Seq) {
		if err != nil {
			return 0, err
		}
		if c.add(e); !c.full(s.events, until, before) {
			continue
		}
		until, err = s.write(ctx, r, c)
		if end := s.ends[incarnation].Seq; err != nil || end != c.events.Last.Seq || end+1 == before {
			return until, err
		}
		c.restart()
	}
	if c.empty() {
		return 0, nil
	}
	return s.write(ctx, r, c)
}

// write seals a segment: its documents, then its events. A crash in between leaves
// documents that say where the segment ends; write then tells, and does nothing.
func (s *sealer) write(ctx context.Context, r journal.Reader, c cutting) (until journal.Seq, err error) {
	if err := s.point(ctx, c.events); err != nil {
		return 0, err
	}
	h, data, err := c.beside()
	if err != nil {
		return 0, err
	}
	if data != nil {
		took, err := s.claim(ctx, r, h, data)
		if err != nil {
			return 0, err
		}
		if took.Last != c.events.Last {
			return took.Last.Seq, nil
		}
		c.events.Documents = &beside{took.Count, took.SHA256}
	}
	// The documents are durable, and mean nothing without their events.

	if data, err = c.events.object(c.records); err != nil {
		return 0, err
	}
	took, err := s.claim(ctx, r, c.events, data)
	if err != nil {
		return 0, err
	}
	// The segment is sealed, be it this one or what an earlier attempt made of it.
	s.ends[took.Incarnation] = took.last()
	s.reached(took.last())
	return 0, nil
}

// point has the hint name the segment that is about to be written, now and then.
func (s *sealer) point(ctx context.Context, h header) error {
	s.since++
	if h.Incarnation == s.hint.Incarnation && s.since < hintEvery || h.First.Seq <= s.hint.First {
		return nil
	}
	return s.pointTo(ctx, hint{Incarnation: h.Incarnation, First: h.First.Seq})
}

func (s *sealer) pointTo(ctx context.Context, at hint) error {
	if err := writeHint(ctx, s.store, at); err != nil {
		return err
	}
	s.hint, s.since = at, 0
	return nil
}

// pointAgain has the hint name again what it named, where somebody who was paused has set
// it back. A later one stays.
func (s *sealer) pointAgain(ctx context.Context) error {
	h, err := readHint(ctx, s.store)
	switch {
	case err != nil || h.First == s.hint.First:
		return err
	case h.First < s.hint.First:
		return writeHint(ctx, s.store, s.hint)
	}
	s.hint, s.since = h, 0
	return nil
}

// claim creates an object. Where its name is taken, it answers what took it, if that
// is of this journal. It is then put again, the same bytes, since only a write that
// has succeeded is known to be durable.
func (s *sealer) claim(ctx context.Context, r journal.Reader, h header, data []byte) (header, error) {
	name := h.key()
	if s.spoil[name] { // what is there is no segment, and was copied
		delete(s.spoil, name)
		return h, s.store.Put(ctx, name, data)
	}
	err := s.store.Create(ctx, name, data)
	if err == nil || !errors.Is(err, warehouse.ErrExists) {
		return h, err
	}
	found, err := s.store.Get(ctx, name, maxObject)
	if err != nil {
		return h, err
	}
	took, err := openPart(name, found)
	if err != nil {
		return h, err
	}
	if took.Warehouse != h.Warehouse || took.Prev != h.Prev {
		return h, fmt.Errorf("%w: %s is of warehouse %s and links to %s", ErrSecondWriter, name, took.Warehouse, took.Prev)
	}
	if err := ours(ctx, s.store, s.id, r, took.last()); err != nil {
		return h, err
	}
	return took, s.store.Put(ctx, name, found)
}

// openPart reads and checks an object whole.
func openPart(name string, data []byte) (header, error) {
	if _, _, p, _ := parseKey(name); p == documentsPart {
		h, _, err := openDocuments(name, data)
		return h, err
	}
	s, err := openEvents(name, data, journal.Link)
	if err != nil {
		return header{}, err
	}
	return s.header, nil
}
