package catalog

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/rest/metadata"
)

// maxClaims bounds the staged tables whose places are kept at the same time.
const maxClaims = 10_000

// claims are places that are kept for tables which were staged and are not recorded
// yet, because somebody holds credentials that reach them. They are of this process
// alone (ADR 56), and end by themselves. Safe for concurrent use.
type claims struct {
	mu   sync.Mutex
	held map[uuid.UUID]kept // guarded by mu
}

// kept is what is kept for one table.
type kept struct {
	table  uuid.UUID
	by     journal.Actor
	name   string // the key of its identifier
	places []journal.Place
	reach  Reach
	until  time.Time
}

func (k kept) overlaps(path string) bool {
	return slices.ContainsFunc(k.places, func(p journal.Place) bool { return warehouse.Overlaps(p.Path, path) })
}

// at answers for whom a place that overlaps a path is kept, others than those named.
func (c *claims) at(path string, now func() time.Time, except ...uuid.UUID) (kept, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.held) == 0 {
		return kept{}, false
	}
	return c.atLocked(path, now(), except...)
}

func (c *claims) atLocked(path string, now time.Time, except ...uuid.UUID) (kept, bool) {
	for id, k := range c.held {
		if now.Before(k.until) && !slices.Contains(except, id) && k.overlaps(path) {
			return k, true
		}
	}
	return kept{}, false
}

// of are the tables for which an actor had places kept under a name before: who stages
// it again is not kept out by them.
func (c *claims) of(by journal.Actor, name string) (tables []uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, k := range c.held {
		if k.by == by && k.name == name {
			tables = append(tables, id)
		}
	}
	return tables
}

// keep keeps places for a table, unless one of them is kept for another or is being
// given to an object at this moment: other is then whose, with the place that is asked
// for. Of what the same actor had kept under the same name, and now asks for again, this
// is the heir. It answers what undoes it.
func (c *claims) keep(k kept, now time.Time, busy func([]journal.Place) bool, same []uuid.UUID) (undo func(), other *kept, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, place := range k.places {
		if o, taken := c.atLocked(place.Path, now, append(same, k.table)...); taken {
			o.places = []journal.Place{place}
			return nil, &o, nil
		}
	}
	if busy(k.places) {
		return nil, nil, refuse(Unavailable, "The location is being given to another table or view at this moment")
	}
	if len(c.held) >= maxClaims {
		c.sweepLocked(now)
	}
	if len(c.held) >= maxClaims {
		return nil, nil, refuse(Unavailable, "Too many tables are staged with credentials: %d", len(c.held))
	}
	if c.held == nil {
		c.held = map[uuid.UUID]kept{}
	}
	heir, before := c.inheritLocked(k, same)
	c.held[k.table] = heir
	return func() { c.undo(k.table, before) }, nil, nil
}

// undo gives back what no credentials were made for, unless somebody has followed.
func (c *claims) undo(table uuid.UUID, before []kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, held := c.held[table]; !held {
		return
	}
	delete(c.held, table)
	for _, k := range before {
		c.held[k.table] = k
	}
}

// inheritLocked lets go of the claims that k follows: it keeps all their places, and as
// long, since credentials for them are out.
func (c *claims) inheritLocked(k kept, same []uuid.UUID) (heir kept, before []kept) {
	asked := k.places
	for _, id := range append(same, k.table) {
		old, had := c.held[id]
		if !had || !slices.ContainsFunc(asked, func(p journal.Place) bool { return old.overlaps(p.Path) }) {
			continue
		}
		delete(c.held, id)
		before = append(before, old)
		k.places = append(slices.Clip(k.places), old.places...)
		if old.until.After(k.until) {
			k.until = old.until
		}
	}
	return k, before
}

// renew keeps on what an actor had kept under a name, of several what is kept longest.
func (c *claims) renew(by journal.Actor, name string, now, until time.Time) (Reach, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var last kept
	for _, k := range c.held {
		if k.by == by && k.name == name && now.Before(k.until) && k.until.After(last.until) {
			last = k
		}
	}
	if last.table == uuid.Nil {
		return Reach{}, false
	}
	if until.After(last.until) {
		last.until = until
	}
	c.held[last.table] = last
	return last.reach, true
}

func (c *claims) sweepLocked(now time.Time) {
	for id, k := range c.held {
		if !now.Before(k.until) {
			delete(c.held, id)
		}
	}
}

// Claim keeps the places of a staged table for it for as long as credentials that reach
// them live: meanwhile this process refuses whatever would give any of them, above or
// below them, to another object (case 142). It answers where they are, and what gives them
// back when no credentials are made after all. A table in folders needs none.
// AlreadyExists when they are not free, Invalid, Unavailable.
func (c *Catalog) Claim(ctx context.Context, by journal.Actor, id journal.Identifier, staged Table, life time.Duration) (Reach, func(), error) {
	doc, err := decoded(metadata.Parse(staged.Metadata, ""))
	if err != nil {
		return Reach{}, nil, err
	}
	places, err := c.admit(ctx, doc)
	if err != nil {
		return Reach{}, nil, err
	}
	reach, err := c.reach(doc)
	if err != nil || len(reach.Grounds) == 0 {
		return reach, func() {}, err
	}
	before := c.claims.of(by, id.Key())
	undo, other, err := c.claims.keep(kept{doc.UUID(), by, id.Key(), places, reach, c.Now().Add(life)}, c.Now(), c.guard.givesAny, before)
	switch {
	case err != nil:
		return Reach{}, nil, err
	case other != nil:
		return Reach{}, nil, claimed(id, doc, other.places[0].Path, *other)
	}
	if err := c.unheld(ctx, id, doc, places, before...); err != nil {
		undo()
		return Reach{}, nil, err
	}
	return reach, undo, nil
}

// Renew keeps on the places of a table that an actor has staged and not made yet, for as
// long as new credentials live, and answers where they are. ok is false when nothing is
// kept any more.
func (c *Catalog) Renew(by journal.Actor, id journal.Identifier, life time.Duration) (reach Reach, ok bool) {
	now := c.Now()
	return c.claims.renew(by, id.Key(), now, now.Add(life))
}

// claimed words that a place is kept for another.
func claimed(id journal.Identifier, doc version, path string, other kept) *Error {
	return refuse(AlreadyExists, "%s of %s is refused: it overlaps a location that is kept until %s for a table which was staged with credentials",
		asked(doc, path), id, other.until.UTC().Format(time.RFC3339))
}

// givesAny tells whether somebody gives an object a place that overlaps one of these,
// at this moment.
func (g *guard) givesAny(places []journal.Place) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.occupiers, (&stay{places: places}).overlaps)
}
