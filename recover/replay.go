package recover

import (
	"context"
	"errors"
	"runtime/debug"

	"puddle/journal"
	"puddle/projections"
)

// Outcome is what a replay found.
type Outcome string

// The outcomes.
const (
	Current  Outcome = "current"   // nothing was missing
	CaughtUp Outcome = "caught-up" // it lacked the newest events
	Rebuilt  Outcome = "rebuilt"   // it was empty, or contradicted the journal and was made anew
)

// Replayed is what a replay did.
type Replayed struct {
	Outcome Outcome
	Events  uint64 // applied
	Because error  // Rebuilt: the contradiction; nil when it was empty
}

// Progress is called during a replay, at most once a batch.
type Progress func(done, head journal.Seq)

// Replay brings a projection up to the journal of the warehouse of that name,
// by projections.CatchUp. A projection that stands at a place in this journal
// and yet contradicts it is reset and rebuilt; it is derived and disposable. One
// that is ahead of the journal, or of another history, is a *Refusal: then it is
// the journal that is in doubt, and the projection is evidence.
func Replay(ctx context.Context, name string, from journal.Reader, p projections.Projection, progress Progress) (Replayed, error) {
	cursor, err := p.Cursor(ctx)
	if err != nil {
		return Replayed{}, err
	}
	head, err := from.Head(ctx)
	if err != nil {
		return Replayed{}, err
	}
	if cursor.IsZero() {
		defer spare()()
	}
	counted := &counting{head: head.Seq, progress: progress}
	counted.Projection = projections.Observed(p, counted.count)
	err = projections.CatchUp(ctx, from, 0, counted.Projection)
	var conflict *projections.Conflict
	if errors.As(err, &conflict) {
		return rebuild(ctx, name, from, counted, err)
	}
	switch done := (Replayed{Events: counted.events}); {
	case err != nil:
		return done, refused(name, err)
	case counted.events == 0:
		done.Outcome = Current
		return done, nil
	case cursor.IsZero():
		done.Outcome = Rebuilt
		return done, nil
	default:
		done.Outcome = CaughtUp
		return done, nil
	}
}

func rebuild(ctx context.Context, name string, from journal.Reader, p *counting, because error) (Replayed, error) {
	if err := p.Reset(ctx); err != nil {
		return Replayed{}, err
	}
	p.events = 0
	defer spare()()
	err := projections.CatchUp(ctx, from, 0, p.Projection)
	return Replayed{Outcome: Rebuilt, Events: p.events, Because: because}, refused(name, err)
}

// spareGC is how much garbage there may be while tables are made anew, in percent of
// what is in use: half of what is usual.
const spareGC = 50

// spare keeps the memory small in which tables are made anew, until the function is
// called that it answers; then the system has back what is not in use. It is of the
// whole process: one replay at a time.
func spare() (end func()) {
	before := debug.SetGCPercent(spareGC)
	return func() {
		debug.SetGCPercent(before)
		debug.FreeOSMemory()
	}
}

// refused turns what CatchUp says of another history into a refusal.
func refused(name string, err error) error {
	if errors.Is(err, projections.ErrAhead) || errors.Is(err, projections.ErrDiverged) {
		return &Refusal{name, err.Error(), recoverCommand(name), err}
	}
	return err
}

// counting counts what is applied to a projection, which is observed.
type counting struct {
	projections.Projection
	head     journal.Seq
	progress Progress
	events   uint64
}

func (c *counting) count(events []journal.Event) {
	c.events += uint64(len(events))
	if c.progress != nil {
		c.progress(events[len(events)-1].Seq, c.head)
	}
}
