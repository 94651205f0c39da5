package recorder

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// group is the drafts and answers that go through the five steps together.
type group struct {
	pass    pass
	chains  map[uuid.UUID]journal.Chain // where the winners end, of the warehouses they are of
	first   map[request]*call           // who was judged, by what must not be judged twice
	keys    map[bound]bool              // that the winners bind, and the answers
	winners []*call
	entries []journal.Entry // of the winners
	losers  []*call
	reasons []error         // of the losers
	found   []*call         // whose events were there, and are made sure of
	events  []journal.Event // of the found
	batch   batch
	seen    Group
}

// request is what an event id is unique in.
type request struct{ warehouse, id uuid.UUID }

// bound is what an idempotency key is unique in: the digest is the actor's and
// the key's.
type bound struct {
	warehouse uuid.UUID
	key       journal.Digest
}

// record takes what was taken through the five steps and answers it, except for what
// does not fit into the group and is left for the next, and for parts that
// are to be tried again without each other.
func (l *lane) record(taken load) (left load, parts []load) {
	if l.halted {
		return l.refuse(taken), nil
	}
	ctx := context.Background() // whoever hangs up now changes nothing
	g := &group{chains: map[uuid.UUID]journal.Chain{}, first: make(map[request]*call, len(taken.calls)), keys: map[bound]bool{}}
	defer func() { l.observe(g, taken, left, parts) }()

	// 1 and 2. The winners stand in a transaction that no reader sees. A crash
	// rolls it back, and nothing has happened.
	start := time.Now()
	left, err := l.judge(ctx, g, taken)
	g.seen.Apply = lap(&start)
	if err != nil || len(g.entries)+len(g.batch.answers)+len(g.found) == 0 {
		return l.abandon(g, taken, left, err)
	}

	// 3. What won is the truth.
	err = g.pass.record(ctx, g.entries, g.batch.answers)
	g.seen.Append = lap(&start)
	if err != nil {
		return l.abandon(g, taken, left, err)
	}

	// 4. Reads show it.
	err = g.pass.show()
	g.seen.Commit = lap(&start)

	// 5. The callers know.
	l.acknowledge(g)
	if err != nil {
		g.seen.Err = err
		if err := l.backend.mend(l, errors.Join(err, g.pass.rollback())); err != nil {
			return l.halt(left, err), nil
		}
	}
	return left, nil
}

// acknowledge answers a group whose events and answers are durable.
func (l *lane) acknowledge(g *group) {
	g.seen.Recorded, g.seen.Refused = len(g.winners), len(g.losers)
	for i, c := range g.winners {
		e := g.entries[i].Event
		if l.options.OnAppended != nil {
			l.options.OnAppended(e)
		}
		c.answer(e, nil)
	}
	for i, c := range g.losers {
		c.answer(journal.Event{}, g.reasons[i])
	}
	for i, c := range g.found {
		c.answer(g.events[i], nil)
	}
	g.batch.acknowledge()
}

// abandon answers a group of which nothing is in the journal, or nobody knows
// whether it is. What its losers lost to may be a winner that never was, so that
// they are not told of it: they may try again. Where the reason is one of the group
// alone, all but that one are tried again here.
func (l *lane) abandon(g *group, taken, left load, reason error) (load, []load) {
	g.seen.Err = reason
	if g.pass != nil {
		// After a failed rollback nothing is committed either; the next begin
		// tells whether the store goes on.
		g.seen.Err = errors.Join(reason, g.pass.rollback())
	}
	if reason == nil {
		l.acknowledge(g) // no winners: the losers lost to what is true
		return left, nil
	}
	ends := l.backend.stops(reason)
	won, lost := notRecorded(reason), notRecorded(reason)
	switch {
	case errors.Is(reason, journal.ErrUnknownOutcome):
		g.seen.Unknown = len(g.winners)
		won, lost = reason, fmt.Errorf("%w: %v", ErrNotRecorded, reason)
		if ends {
			lost = stopped(reason)
		}
	case !ends && refuses(reason):
		if parts := g.parts(taken.calls); len(parts) > 1 {
			return left, parts
		}
		won, lost = reason, reason
	}
	g.fail(won, lost)
	if ends {
		return l.halt(left, reason), nil
	}
	return left, nil
}

// fail answers all of a group.
func (g *group) fail(won, lost error) {
	for _, c := range g.winners {
		c.answer(journal.Event{}, won)
	}
	for _, c := range g.losers {
		c.answer(journal.Event{}, lost)
	}
	for _, c := range g.found {
		c.answer(journal.Event{}, unsure(won))
	}
	g.batch.fail(won, lost)
}

// halt stops the recorder and answers what was taken and not yet tried.
func (l *lane) halt(left load, reason error) load {
	l.halted = true
	l.stop(stopped(reason))
	for _, c := range left.calls {
		c.answer(journal.Event{}, stopped(reason))
	}
	for _, m := range left.memos {
		m.reply <- stopped(reason)
	}
	return load{}
}

// refuse answers those who come after the lane was halted.
func (l *lane) refuse(taken load) load {
	for _, c := range taken.calls {
		c.answer(journal.Event{}, context.Cause(l.life))
	}
	for _, m := range taken.memos {
		m.reply <- context.Cause(l.life)
	}
	return load{}
}

func (l *lane) observe(g *group, taken, left load, parts []load) {
	if l.options.Observe == nil || len(taken.calls) == 0 {
		return
	}
	g.seen.Drafts = len(taken.calls) - len(left.calls)
	for _, part := range parts {
		g.seen.Drafts -= len(part.calls)
	}
	l.options.Observe(g.seen)
}

// lap is the time since start, which moves to now.
func lap(start *time.Time) time.Duration {
	now := time.Now()
	took := now.Sub(*start)
	*start = now
	return took
}
