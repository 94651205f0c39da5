package catalog

import (
	"context"
	"slices"
	"sync"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// guard keeps deletes and births at one place apart. Those who occupy places, with
// an event that gives them to an object, and those who clear them, of the files of
// an object that is gone, wait for each other where their places overlap, in the
// order of asking; else nobody waits. The zero value is ready.
type guard struct {
	mu        sync.Mutex
	occupiers []*stay // guarded by mu: in the order of asking
	clearers  []*stay // guarded by mu: likewise
}

// stay is somebody at places, or in line for them.
type stay struct {
	places []journal.Place
	over   chan struct{} // closed when they have left
}

// overlaps tells whether a place of the one is a place of the other, above or
// below it, by whole segments.
func (s *stay) overlaps(o *stay) bool {
	return slices.ContainsFunc(s.places, func(a journal.Place) bool {
		return slices.ContainsFunc(o.places, func(b journal.Place) bool { return warehouse.Overlaps(a.Path, b.Path) })
	})
}

// enter gets in line behind the others who asked before, and waits until those
// whose places overlap have left. Nobody waits for who asked later, so that no two
// wait for each other. When ctx ends first, its cause is the error and nothing is
// held.
func (g *guard) enter(ctx context.Context, mine, others *[]*stay, places []journal.Place) (release func(), err error) {
	s := &stay{places, make(chan struct{})}
	release = sync.OnceFunc(func() { g.leave(mine, s) })
	for _, before := range g.join(mine, others, s) {
		select {
		case <-before.over:
		case <-ctx.Done():
			release()
			return nil, context.Cause(ctx)
		}
	}
	return release, nil
}

// join answers whom s has to wait for.
func (g *guard) join(mine, others *[]*stay, s *stay) (before []*stay) {
	g.mu.Lock()
	defer g.mu.Unlock()
	*mine = append(*mine, s)
	for _, o := range *others {
		if s.overlaps(o) {
			before = append(before, o)
		}
	}
	return before
}

func (g *guard) leave(mine *[]*stay, s *stay) {
	g.mu.Lock()
	defer g.mu.Unlock()
	*mine = slices.DeleteFunc(*mine, func(o *stay) bool { return o == s })
	close(s.over)
}

// Clear keeps births away from places until it is released: from then on no event
// is recorded that gives an object a place which overlaps one of them, and what
// was recorded before is seen by every read. It is held while a batch of files
// below the places is judged and deleted, not longer: clients wait. Those who
// clear do not keep each other out. The error is the cause that ended ctx.
func (c *Catalog) Clear(ctx context.Context, places []journal.Place) (release func(), err error) {
	return c.guard.enter(ctx, &c.guard.clearers, &c.guard.occupiers, places)
}

// occupy keeps deletes away from places until it is released. It is held while an
// event is recorded that gives them to an object: births, undrops, repoints, and
// commits whose places are new. Without a clearer it takes no longer than its
// mutex. Unavailable when ctx ends before the clearers have left.
func (c *Catalog) occupy(ctx context.Context, places []journal.Place) (release func(), err error) {
	release, err = c.guard.enter(ctx, &c.guard.occupiers, &c.guard.clearers, places)
	if err != nil {
		return nil, because(Unavailable, err, "The change was not made: files of a dropped table were being removed from its places all the time")
	}
	return release, nil
}

// Occupied tells whether somebody occupies places at this moment: if not, no event of
// this catalog that is being recorded gives any to an object.
func (c *Catalog) Occupied() bool {
	c.guard.mu.Lock()
	defer c.guard.mu.Unlock()
	return len(c.guard.occupiers) > 0
}

// settle occupies the places that a version is to give an object, and looks whether
// they are free for it. The refusals are those of occupy and unheld.
func (c *Catalog) settle(ctx context.Context, id journal.Identifier, doc version, places []journal.Place) (leave func(), err error) {
	leave, err = c.occupy(ctx, places)
	if err != nil {
		return nil, err
	}
	if err := c.unheld(ctx, id, doc, places); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}
