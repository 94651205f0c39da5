package catalog

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// Bounds of what is booked at the same time, and of how long places can be asked for
// without a table that is made there.
const (
	maxBookings = 10_000
	maxOfActor  = 1_000
	maxAsking   = 24 * time.Hour
)

// bookings are places that nobody else gets, because somebody holds credentials that
// reach them, or is about to, for a table which was staged and is not recorded yet. They
// are of this process alone (ADR 56), and end by themselves. Safe for concurrent use.
type bookings struct {
	mu   sync.Mutex
	last int                    // guarded by mu: the order of the newest
	held map[uuid.UUID]*booking // guarded by mu, and what may change of each
}

// booking is what is booked for one table.
type booking struct {
	table  uuid.UUID
	by     journal.Actor
	name   string // the key of its identifier
	places []journal.Place
	reach  Reach
	order  int
	since  time.Time // when it, or one that it follows, was asked for first
	asks   int       // calls for credentials that are not answered
	until  time.Time // when the last of those that were made end
}

func (b *booking) holds(now time.Time) bool { return b.asks > 0 || now.Before(b.until) }

func (b *booking) overlaps(places ...journal.Place) bool {
	return slices.ContainsFunc(places, func(p journal.Place) bool { return b.at(p.Path) })
}

func (b *booking) at(path string) bool {
	return slices.ContainsFunc(b.places, func(p journal.Place) bool { return warehouse.Overlaps(p.Path, path) })
}

// follows tells whether the same actor asked under the same name before: whoever runs a
// job again, which had failed after it staged, is not in their own way.
func (b *booking) follows(o *booking) bool {
	return b.by == o.by && b.name == o.name && b.order > o.order
}

// covers tells that nothing is left of o without b.
func (b *booking) covers(o *booking) bool {
	return o.asks == 0 && !o.until.After(b.until) && !slices.ContainsFunc(o.places, func(p journal.Place) bool {
		return !slices.ContainsFunc(b.places, func(mine journal.Place) bool { return mine.Path == p.Path })
	})
}

// booker is who is not kept out by what is booked: an actor who stages under a name, or
// tables that are to be recorded, each with what its own booking follows.
type booker struct {
	by     journal.Actor
	name   string // empty: tables alone
	tables []uuid.UUID
}

// at answers what is booked by others and overlaps a path.
func (s *bookings) at(path string, now func() time.Time, who booker) (booking, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) == 0 {
		return booking{}, false
	}
	return s.atLocked(path, now(), who)
}

func (s *bookings) atLocked(path string, now time.Time, who booker) (booking, bool) {
	for _, b := range s.held {
		if b.holds(now) && b.at(path) && !s.ownLocked(b, who) {
			return *b, true
		}
	}
	return booking{}, false
}

func (s *bookings) ownLocked(b *booking, who booker) bool {
	if who.name != "" && b.by == who.by && b.name == who.name {
		return true
	}
	return slices.ContainsFunc(who.tables, func(id uuid.UUID) bool {
		own := s.held[id]
		return id == b.table || own != nil && own.follows(b)
	})
}

// ask books places for a table until its credentials are made or not, which settle is to
// be told, unless one of them is booked by others or is being given to an object at this
// moment: that booking is answered, with the place that is asked for.
func (s *bookings) ask(b booking, now time.Time, busy func([]journal.Place) bool) (mine, other *booking, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweepLocked(now)
	for _, place := range b.places {
		if o, taken := s.atLocked(place.Path, now, booker{b.by, b.name, []uuid.UUID{b.table}}); taken {
			o.places = []journal.Place{place}
			return nil, &o, nil
		}
	}
	if busy(b.places) {
		return nil, nil, refuse(Unavailable, "The location is being given to another table or view at this moment")
	}
	if mine = s.held[b.table]; mine == nil {
		if err := s.roomLocked(b.by); err != nil {
			return nil, nil, err
		}
		mine = &b
		mine.since = now
	}
	if err := s.againLocked(mine, now); err != nil {
		return nil, nil, err
	}
	if s.held == nil {
		s.held = map[uuid.UUID]*booking{}
	}
	s.held[b.table] = mine
	return mine, nil, nil
}

// roomLocked refuses one more: an actor has a tenth of all.
func (s *bookings) roomLocked(by journal.Actor) error {
	own := 0
	for _, b := range s.held {
		if b.by == by {
			own++
		}
	}
	switch {
	case own >= maxOfActor:
		return refuse(Unavailable, "You have %d tables that are staged with credentials and not made, which is the limit: make them, or wait until their credentials end", own)
	case len(s.held) >= maxBookings:
		return refuse(Unavailable, "Too many tables are staged with credentials: %d", len(s.held))
	}
	return nil
}

// againLocked counts one more call for credentials. They are not made without end for a
// table that nobody makes, under whichever uuid.
func (s *bookings) againLocked(b *booking, now time.Time) error {
	s.last++
	b.order = s.last
	for _, o := range s.held {
		if b.follows(o) && o.overlaps(b.places...) && o.since.Before(b.since) {
			b.since = o.since
		}
	}
	if now.Sub(b.since) >= maxAsking {
		return refuse(AlreadyExists, "The location has been booked for %s for a table that was staged again and again and never made; it is free when the credentials end that reach it", maxAsking)
	}
	b.asks++
	return nil
}

// again asks once more for the last that an actor has booked under a name.
func (s *bookings) again(by journal.Actor, name string, now time.Time) *booking {
	s.mu.Lock()
	defer s.mu.Unlock()
	var last *booking
	for _, b := range s.held {
		if b.by == by && b.name == name && b.holds(now) && (last == nil || b.order > last.order) {
			last = b
		}
	}
	if last == nil || s.againLocked(last, now) != nil {
		return nil
	}
	return last
}

// settle says what came of a call: until when credentials live that were made, or zero.
// What none reach is free again.
func (s *bookings) settle(b *booking, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b.asks--
	if until.After(b.until) {
		b.until = until
	}
	if s.held[b.table] != b {
		return // it was made meanwhile
	}
	if b.asks == 0 && b.until.IsZero() {
		delete(s.held, b.table)
		return
	}
	for id, o := range s.held {
		if b.follows(o) && b.covers(o) {
			delete(s.held, id)
		}
	}
}

// within tells that all places of b are those of o or below them.
func (b *booking) within(o *booking) bool {
	return !slices.ContainsFunc(b.places, func(mine journal.Place) bool {
		return !slices.ContainsFunc(o.places, func(p journal.Place) bool { return strings.HasPrefix(mine.Path, p.Path) })
	})
}

// end lets go of what is booked for tables that were recorded, and of what those follow
// there. What credentials of an older booking reach beside stays booked until they end.
func (s *bookings) end(moves ...journal.Move) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range moves {
		made := s.held[m.UUID]
		if made == nil {
			continue
		}
		delete(s.held, m.UUID)
		for id, o := range s.held {
			if made.follows(o) && o.within(made) {
				delete(s.held, id)
			}
		}
	}
}

func (s *bookings) sweepLocked(now time.Time) {
	for id, b := range s.held {
		if !b.holds(now) {
			delete(s.held, id)
		}
	}
}
