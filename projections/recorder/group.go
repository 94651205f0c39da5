package recorder

import (
	"context"
	"errors"
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
	keys    map[bound]bool              // that the winners bind
	winners []*call
	entries []journal.Entry // of the winners
	losers  []*call
	reasons []error // of the losers
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

// record takes a group through the five steps and answers it, except for what
// does not fit into the group and is left for the next.
func (r *Recorder) record(taken []*call) (left []*call) {
	ctx := context.Background() // whoever hangs up now changes nothing
	g := &group{chains: map[uuid.UUID]journal.Chain{}, first: make(map[request]*call, len(taken)), keys: map[bound]bool{}}
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
	moved := r.hot.shut(g.entries)
	err = g.tx.Commit()
	g.seen.Commit = lap(&start)
	if err != nil {
		r.gate.shut(err)
	} else {
		moved.settle()
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
		g.seen.Unknown = len(g.winners)
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
	r.halted = true
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
