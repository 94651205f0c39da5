package recorder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// group is the drafts that go through the five steps together.
type group struct {
	tx      projections.Tx
	chains  map[uuid.UUID]journal.Chain // where the winners end, of the warehouses they are of
	first   map[request]*call           // who was judged, by what must not be judged twice
	winners []*call
	entries []journal.Entry // of the winners
	losers  []*call
	reasons []error // of the losers
	seen    Group
}

// request is what an event id is unique in.
type request struct{ warehouse, id uuid.UUID }

// record takes a group through the five steps and answers it, except for what
// does not fit into the group and is left for the next.
func (r *Recorder) record(taken []*call) (left []*call) {
	ctx := context.Background() // whoever hangs up now changes nothing
	g := &group{chains: map[uuid.UUID]journal.Chain{}, first: make(map[request]*call, len(taken))}
	defer func() { r.observe(g, len(taken)-len(left)) }()

	// 1 and 2. The winners stand in a transaction that no reader sees. A crash
	// rolls it back, and nothing has happened.
	start := time.Now()
	left, err := r.judge(ctx, g, taken)
	g.seen.Apply = lap(&start)
	if err != nil || len(g.entries) == 0 {
		r.abandon(g, err)
		if errors.Is(err, projections.ErrDamaged) {
			return r.halt(left, err) // no draft will ever be applied to these tables
		}
		return left
	}

	// 3. The events are the truth. A crash leaves the pointer tables behind the
	// journal: CatchUp brings them up at the next start.
	err = r.journal.Append(ctx, g.entries...)
	g.seen.Append = lap(&start)
	if err != nil {
		r.abandon(g, err)
		if stops(err) {
			return r.halt(left, err)
		}
		return left
	}
	maps.Copy(r.chains, g.chains)

	// 4. Reads show the events. A crash leaves nothing to repair, only callers
	// who do not know yet. If it fails the answer is still yes, and no read may
	// miss what is acknowledged.
	err = g.tx.Commit()
	g.seen.Commit = lap(&start)
	if err != nil {
		r.gate.shut(err)
	}

	// 5. The callers know.
	r.acknowledge(g)
	if err != nil {
		g.seen.Err = err
		if err := r.bringUp(errors.Join(err, g.tx.Rollback())); err != nil {
			return r.halt(left, err)
		}
	}
	return left
}

// judge is steps 1 and 2. A draft whose answer rests on nothing in the group is
// answered at once; the others are winners or losers of it. After an error the
// transaction is spoilt for all of them.
func (r *Recorder) judge(ctx context.Context, g *group, taken []*call) (left []*call, err error) {
	if g.tx, err = r.store.Begin(ctx); err != nil {
		g.lose(err, taken...)
		return nil, err
	}
	for i, c := range taken {
		fits, err := r.apply(ctx, g, c)
		if err != nil {
			g.lose(err, taken[i:]...)
			return nil, err
		}
		if !fits {
			return taken[i:], nil
		}
	}
	return nil, nil
}

// apply forms the event of one draft and applies it under its savepoint.
func (r *Recorder) apply(ctx context.Context, g *group, c *call) (fits bool, err error) {
	d, key := c.draft, request{c.draft.Warehouse, c.draft.ID}
	if twin, ok := g.first[key]; ok {
		twin.twins = append(twin.twins, c)
		return true, nil
	}
	chain, ok := r.end(g, d.Warehouse)
	if !ok {
		c.answer(journal.Event{}, fmt.Errorf("%w: %s", journal.ErrNoWarehouse, d.Warehouse))
		return true, nil
	}
	if r.recent.mayHold(d.ID) {
		if e, found, err := r.journal.Warehouse(d.Warehouse).Find(ctx, d.ID); err != nil {
			c.answer(journal.Event{}, notRecorded(err))
			return true, nil
		} else if found {
			c.answer(e, nil)
			return true, nil
		}
	}
	entry, next, err := chain.Next(d, r.options.Clock.Read())
	if err == nil {
		err = entry.Check() // here it refuses one draft, in Append the group
	}
	if err != nil {
		c.answer(journal.Event{}, err)
		return true, nil
	}
	if len(g.entries) > 0 && g.seen.Bytes+entry.Size() > journal.MaxGroupBytes {
		return false, nil
	}
	g.first[key] = c
	var conflict *projections.Conflict
	err = g.tx.Apply(ctx, entry.Event)
	switch {
	case errors.As(err, &conflict):
		g.lose(conflict, c)
	case err != nil:
		return false, err
	default:
		g.win(c, entry, next)
	}
	return true, nil
}

// end is where the next event of a warehouse goes.
func (r *Recorder) end(g *group, warehouse uuid.UUID) (journal.Chain, bool) {
	if chain, ok := g.chains[warehouse]; ok {
		return chain, true
	}
	chain, ok := r.chains[warehouse]
	return chain, ok
}

func (g *group) win(c *call, entry journal.Entry, next journal.Chain) {
	g.winners = append(g.winners, c)
	g.entries = append(g.entries, entry)
	g.chains[next.Warehouse] = next
	g.seen.Bytes += entry.Size()
}

func (g *group) lose(reason error, calls ...*call) {
	for _, c := range calls {
		g.losers = append(g.losers, c)
		g.reasons = append(g.reasons, reason)
	}
}

// acknowledge answers a group whose events are durable.
func (r *Recorder) acknowledge(g *group) {
	g.seen.Recorded, g.seen.Refused = len(g.winners), len(g.losers)
	for i, c := range g.winners {
		e := g.entries[i].Event
		r.recent.add(e.ID)
		if r.options.OnAppended != nil {
			r.options.OnAppended(e)
		}
		c.answer(e, nil)
	}
	for i, c := range g.losers {
		c.answer(journal.Event{}, g.reasons[i])
	}
}

// abandon answers a group of which nothing is in the journal, or nobody knows
// whether it is. What its losers lost to may be a winner that never was, so that
// they are not told of it: they may try again.
func (r *Recorder) abandon(g *group, reason error) {
	if g.tx != nil {
		// After a failed rollback nothing is committed either; the next Begin
		// tells whether the store goes on.
		g.seen.Err = errors.Join(reason, g.tx.Rollback())
	}
	if reason == nil {
		r.acknowledge(g) // no winners: the losers lost to what is true
		return
	}
	won, lost := notRecorded(reason), notRecorded(reason)
	if errors.Is(reason, journal.ErrUnknownOutcome) {
		won, lost = reason, stopped(reason)
	}
	for _, c := range g.winners {
		c.answer(journal.Event{}, won)
	}
	for _, c := range g.losers {
		c.answer(journal.Event{}, lost)
	}
}

// stops tells whether the journal takes nothing more from this recorder.
func stops(err error) bool {
	return errors.Is(err, journal.ErrUnknownOutcome) || errors.Is(err, journal.ErrClosed) || errors.Is(err, journal.ErrNotNext)
}

// halt stops the recorder and answers what was taken and not yet tried.
func (r *Recorder) halt(left []*call, reason error) []*call {
	r.stop(stopped(reason))
	for _, c := range left {
		c.answer(journal.Event{}, stopped(reason))
	}
	return nil
}

func (r *Recorder) observe(g *group, drafts int) {
	if r.options.Observe != nil {
		g.seen.Drafts = drafts
		r.options.Observe(g.seen)
	}
}

// lap is the time since start, which moves to now.
func lap(start *time.Time) time.Duration {
	now := time.Now()
	took := now.Sub(*start)
	*start = now
	return took
}
