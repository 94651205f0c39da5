package recorder

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

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
	key := request{c.draft.Warehouse, c.draft.ID}
	if twin, ok := g.first[key]; ok {
		twin.twins = append(twin.twins, c)
		return true, nil
	}
	entry, next, ok := r.form(ctx, g, c)
	if !ok {
		return true, nil
	}
	if len(g.entries) > 0 && g.seen.Bytes+entry.Size() > journal.MaxGroupBytes {
		return false, nil
	}
	taken, err := r.keyTaken(ctx, g, entry)
	if err != nil {
		c.answer(journal.Event{}, notRecorded(err))
		return true, nil
	}
	g.first[key] = c
	if taken {
		g.lose(fmt.Errorf("%w: %s", journal.ErrKeyTaken, entry.Request.Key), c)
		return true, nil
	}
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

// form makes the entry of a draft. Those that need none it answers: ok is false.
func (r *Recorder) form(ctx context.Context, g *group, c *call) (entry journal.Entry, next journal.Chain, ok bool) {
	d := c.draft
	chain, ok := r.end(g, d.Warehouse)
	if !ok {
		c.answer(journal.Event{}, fmt.Errorf("%w: %s", journal.ErrNoWarehouse, d.Warehouse))
		return entry, next, false
	}
	if r.recent.mayHold(d.ID) {
		if e, found, err := r.journal.Warehouse(d.Warehouse).Find(ctx, d.ID); err != nil {
			c.answer(journal.Event{}, notRecorded(err))
			return entry, next, false
		} else if found {
			c.answer(e, nil)
			return entry, next, false
		}
	}
	entry, next, err := chain.Next(d, r.options.Clock.Read())
	if err == nil {
		err = entry.Check() // here it refuses one draft, in Append the group
	}
	if err != nil {
		c.answer(journal.Event{}, err)
		return entry, next, false
	}
	return entry, next, true
}

// keyTaken tells whether an entry's key is bound: in the journal or by a winner.
func (r *Recorder) keyTaken(ctx context.Context, g *group, e journal.Entry) (bool, error) {
	if e.Request == nil {
		return false, nil
	}
	if g.keys[bound{e.Event.Warehouse, e.Request.Digest()}] {
		return true, nil
	}
	_, taken, err := r.journal.Warehouse(e.Event.Warehouse).Answered(ctx, e.Request.Actor, e.Request.Key, e.Event.At)
	return taken, err
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
	if entry.Request != nil {
		g.keys[bound{next.Warehouse, entry.Request.Digest()}] = true
	}
	g.seen.Bytes += entry.Size()
}

func (g *group) lose(reason error, calls ...*call) {
	for _, c := range calls {
		g.losers = append(g.losers, c)
		g.reasons = append(g.reasons, reason)
	}
}
