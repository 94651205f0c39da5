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
func (l *lane) judge(ctx context.Context, g *group, taken load) (left load, err error) {
	if g.pass, err = l.backend.begin(ctx, taken); err != nil {
		g.lose(err, taken.calls...)
		g.batch.losers = taken.memos
		return load{}, err
	}
	for i, c := range taken.calls {
		fits, err := g.apply(ctx, c)
		if err != nil {
			g.lose(err, taken.calls[i:]...)
			g.batch.losers = taken.memos
			return load{}, err
		}
		if !fits {
			left.calls = taken.calls[i:]
			break
		}
	}
	left.memos = g.gather(ctx, taken.memos)
	return left, nil
}

// apply forms the event of one draft and applies it under its savepoint.
func (g *group) apply(ctx context.Context, c *call) (fits bool, err error) {
	key := request{c.draft.Warehouse, c.draft.ID}
	if twin, ok := g.first[key]; ok {
		twin.twins = append(twin.twins, c)
		return true, nil
	}
	entry, next, ok := g.form(ctx, c)
	if !ok {
		return true, nil
	}
	if len(g.entries) > 0 && g.seen.Bytes+entry.Size() > journal.MaxGroupBytes {
		return false, nil
	}
	taken, err := g.keyTaken(ctx, entry)
	if err != nil {
		c.answer(journal.Event{}, notRecorded(err))
		return true, nil
	}
	g.first[key] = c
	if taken {
		g.lose(takenKey(entry.Request.Key), c)
		return true, nil
	}
	var conflict *projections.Conflict
	err = g.pass.apply(ctx, entry.Event)
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
func (g *group) form(ctx context.Context, c *call) (entry journal.Entry, next journal.Chain, ok bool) {
	d := c.draft
	chain, ok := g.end(d.Warehouse)
	if !ok {
		c.answer(journal.Event{}, fmt.Errorf("%w: %s", journal.ErrNoWarehouse, d.Warehouse))
		return entry, next, false
	}
	if e, found, err := g.pass.find(ctx, d.Warehouse, d.ID); err != nil {
		c.answer(journal.Event{}, notRecorded(err))
		return entry, next, false
	} else if found && g.pass.certain() {
		c.answer(e, nil)
		return entry, next, false
	} else if found {
		g.found, g.events = append(g.found, c), append(g.events, e)
		return entry, next, false
	}
	entry, next, err := chain.Next(d, g.pass.now())
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
func (g *group) keyTaken(ctx context.Context, e journal.Entry) (bool, error) {
	if e.Request == nil {
		return false, nil
	}
	if g.keys[bound{e.Event.Warehouse, e.Request.Digest()}] {
		return true, nil
	}
	return g.pass.answered(ctx, e.Event.Warehouse, *e.Request, e.Event.At)
}

// end is where the next event of a warehouse goes.
func (g *group) end(warehouse uuid.UUID) (journal.Chain, bool) {
	if chain, ok := g.chains[warehouse]; ok {
		return chain, true
	}
	return g.pass.chain(warehouse)
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
