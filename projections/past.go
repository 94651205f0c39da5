package projections

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"

	"puddle/journal"
)

// Bounds of what a Past keeps in memory. An object takes some two kilobytes of a
// snapshot that shares nothing with others, which is the worst case.
const (
	maxSnapshots  = 32
	maxKeptWeight = 50_000  // objects and namespaces of all snapshots but the one used last
	stride        = 1 << 16 // events between those that are kept on the way
)

// Past is what was true of one warehouse as of each event of its lineage: the fold
// of the events up to it (law 4), through incarnations. It folds from the nearest
// snapshot that it has kept, the first time from the beginning. Safe for concurrent
// use. Make one with NewPast.
type Past struct {
	warehouse uuid.UUID
	from      journal.Reader
	history   Stepper
	turn      turn // who folds: one at a time

	mu   sync.Mutex
	kept []*keptState // guarded by mu: the one used last is the last
}

// keptState is the state as of a seq.
type keptState struct {
	held   held
	weight int
}

// Stepper is the part of History that a Past needs.
type Stepper interface {
	// Steps are the moves of one object, as History has them.
	Steps(ctx context.Context, object uuid.UUID) ([]Step, error)
}

// NewPast is the past of a warehouse. The reader is a Lineage; history is that of
// the present, which has all steps that the lineage has.
func NewPast(warehouse uuid.UUID, from journal.Reader, history Stepper) *Past {
	return &Past{warehouse: warehouse, from: from, history: history, turn: make(turn, 1)}
}

// At is the state as of the event at a seq; journal.ErrNoEvent when the lineage has
// none there. It takes memory as the warehouse had objects, and some microseconds for
// each event since the nearest state that is kept. When ctx ends first, the next call
// goes on where this one came to.
func (p *Past) At(ctx context.Context, seq journal.Seq) (*Snapshot, error) {
	event, err := p.event(ctx, seq)
	if err != nil {
		return nil, err
	}
	h, ok := p.find(seq)
	if !ok {
		if h, err = p.fold(ctx, seq); err != nil {
			return nil, err
		}
	}
	if h.cursor != event.Position {
		return nil, fmt.Errorf("%w: as of %s it stands at %s", ErrDiverged, event.Position, h.cursor)
	}
	state := newState(p.warehouse, make(turn, 1))
	state.publish(h)
	return &Snapshot{Reader: state, held: h, at: event.At, from: p.from, steps: p.history}, nil
}

// event is the one at a seq.
func (p *Past) event(ctx context.Context, seq journal.Seq) (journal.Event, error) {
	for e, err := range p.from.Scan(ctx, max(seq, 1)-1) {
		if err != nil || e.Seq == seq {
			return e, err
		}
		break
	}
	return journal.Event{}, fmt.Errorf("%w: seq %d", journal.ErrNoEvent, seq)
}

// fold makes the state as of a seq that has an event, unless somebody else made it
// meanwhile. What it came to is kept whatever happens.
func (p *Past) fold(ctx context.Context, seq journal.Seq) (held, error) {
	if err := p.turn.take(ctx); err != nil {
		return held{}, err
	}
	defer p.turn.give()
	if h, ok := p.find(seq); ok {
		return h, nil
	}
	f := begun(p.warehouse, p.nearest(seq))
	for next := f.held.cursor.Seq; next < seq; {
		next = min(next+stride, seq) // where seqs jump, nothing is there
		err := CatchUp(ctx, p.from, next, f)
		if f.failed {
			return held{}, err
		}
		p.keep(f.done())
		if err != nil {
			return held{}, err
		}
	}
	return f.done(), nil
}

// find gives the state as of a seq, if it is kept.
func (p *Past) find(seq journal.Seq) (held, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.kept, func(k *keptState) bool { return k.held.cursor.Seq == seq })
	if i < 0 {
		return held{}, false
	}
	return p.usedLocked(i), true
}

// nearest is the newest state kept that is not after a seq; else the empty one.
func (p *Past) nearest(seq journal.Seq) held {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := -1
	for i, k := range p.kept {
		if at := k.held.cursor.Seq; at <= seq && (best < 0 || at > p.kept[best].held.cursor.Seq) {
			best = i
		}
	}
	if best < 0 {
		return held{depth: marksOnly}
	}
	return p.usedLocked(best)
}

func (p *Past) usedLocked(i int) held {
	k := p.kept[i]
	p.kept = append(slices.Delete(p.kept, i, i+1), k)
	return k.held
}

// keep keeps a state, and lets go of those that nobody used for longest where there
// are too many.
func (p *Past) keep(h held) {
	if _, known := p.find(h.cursor.Seq); known || h.cursor.IsZero() {
		return
	}
	k := &keptState{h, h.objects.size() + h.namespaces.size()}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = append(p.kept, k)
	first, weight := len(p.kept)-1, 0
	for first > 0 && len(p.kept)-first < maxSnapshots && weight+p.kept[first-1].weight <= maxKeptWeight {
		first--
		weight += p.kept[first].weight
	}
	p.kept = slices.Delete(p.kept, 0, first)
}
