package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Incarnation is one history of a warehouse, from its incarnation-started on.
type Incarnation struct {
	ID      uuid.UUID
	First   Seq       // of its incarnation-started
	Head    Position  // its last event
	Parent  *Position // where the lineage left the incarnation before; nil for a birth
	Current bool      // new events go here
}

// Histories are histories that can be read: a Journal's, or what an archive has kept
// of them.
type Histories interface {
	// Warehouse reads the current one of a warehouse; an unborn one has no head.
	Warehouse(id uuid.UUID) Reader
	// Incarnations lists what is held of a warehouse's histories, ordered by their
	// first seq; none before birth.
	Incarnations(ctx context.Context, warehouse uuid.UUID) ([]Incarnation, error)
	// Incarnation reads one of them, whether it is current or not. One that is not
	// held has no head (ErrNoWarehouse) and no events.
	Incarnation(warehouse, incarnation uuid.UUID) Reader
}

// Lineage reads all that is held of a warehouse's past: the current incarnation,
// and before it each parent up to the event that the next one continues. Between
// two of them seq jumps, and only there; that the one continues the other is checked. A parent that is not held, since it was
// pruned or lost, ends the past. Find and Document see what Scan sees; Head and
// Answered are those of the incarnation that ends it.
func Lineage(of Histories, warehouse uuid.UUID) Reader {
	return lineage{of, warehouse, uuid.Nil}
}

// LineageOf is the Lineage that an incarnation ends, also one that a later one has left:
// all its events, and those of its parents. It does not grow unless the incarnation is
// the current one. One that is not held has no events.
func LineageOf(of Histories, warehouse, incarnation uuid.UUID) Reader {
	return lineage{of, warehouse, incarnation}
}

type lineage struct {
	Histories
	warehouse uuid.UUID
	last      uuid.UUID // the incarnation that ends it; Nil: the current one
}

// end reads the incarnation that ends it.
func (l lineage) end() Reader {
	if l.last == uuid.Nil {
		return l.Warehouse(l.warehouse)
	}
	return l.Incarnation(l.warehouse, l.last)
}

// stretch is the part of an incarnation that belongs to a lineage.
type stretch struct {
	Reader
	first, last Seq       // last is the head of what ends the lineage at the time of looking
	current     bool      // it ends the lineage
	left        *Position // where the next one continues it; nil for what ends the lineage
}

// joins checks that the event which the next incarnation continues is the one here.
func (s stretch) joins(e Event) error {
	if s.left == nil || e.Seq != s.last || e.Hash == s.left.Hash {
		return nil
	}
	return e.damage("a later incarnation continues %s with the hash %s, here it has %s", s.left, s.left.Hash, e.Hash)
}

// stretches are the parts of the lineage, the oldest first; none before birth.
func (l lineage) stretches(ctx context.Context) ([]stretch, error) {
	all, err := l.Incarnations(ctx, l.warehouse)
	if err != nil {
		return nil, err
	}
	var path []stretch
	var left *Position
	at := slices.IndexFunc(all, func(i Incarnation) bool { return i.Current && l.last == uuid.Nil || i.ID == l.last })
	for last := Seq(0); at >= 0; {
		i := all[at]
		current := len(path) == 0
		if current {
			last = i.Head.Seq
		}
		if last > i.Head.Seq || last < i.First {
			return nil, &Damage{Warehouse: l.warehouse, Incarnation: i.ID, Seq: last,
				Reason: fmt.Sprintf("a later incarnation continues it at %d, it ends at %s", last, i.Head)}
		}
		path = append(path, stretch{l.Incarnation(l.warehouse, i.ID), i.First, last, current, left})
		if left = i.Parent; left == nil {
			break
		}
		last = left.Seq
		at = slices.IndexFunc(all, func(p Incarnation) bool { return p.ID == left.Incarnation })
	}
	slices.Reverse(path)
	return path, nil
}

// holding is the stretch that has an event of that seq.
func (l lineage) holding(ctx context.Context, seq Seq) (stretch, error) {
	path, err := l.stretches(ctx)
	if err != nil {
		return stretch{}, err
	}
	for _, s := range path {
		if seq >= s.first && (seq <= s.last || s.current) {
			return s, nil
		}
	}
	return stretch{}, fmt.Errorf("%w: seq %d", ErrNoEvent, seq)
}

// Head implements Reader.
func (l lineage) Head(ctx context.Context) (Position, error) {
	return l.end().Head(ctx)
}

// Find implements Reader.
func (l lineage) Find(ctx context.Context, id uuid.UUID) (Event, bool, error) {
	path, err := l.stretches(ctx)
	if err != nil {
		return Event{}, false, err
	}
	for _, s := range slices.Backward(path) {
		e, found, err := s.Find(ctx, id)
		if err != nil || found && (e.Seq <= s.last || s.current) {
			return e, found, err
		}
	}
	return Event{}, false, nil
}

// Scan implements Reader.
func (l lineage) Scan(ctx context.Context, after Seq) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		path, err := l.stretches(ctx)
		if err != nil {
			yield(Event{}, err)
			return
		}
		for _, s := range path {
			if after >= s.last && !s.current {
				continue
			}
			for e, err := range s.Scan(ctx, max(after, s.first-1)) {
				if err == nil && e.Seq > s.last && !s.current {
					break
				}
				if err == nil {
					err = s.joins(e)
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// ScanBack implements Reader.
func (l lineage) ScanBack(ctx context.Context, before Seq) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		path, err := l.stretches(ctx)
		if err != nil {
			yield(Event{}, err)
			return
		}
		for _, s := range slices.Backward(path) {
			from := before
			if !s.current && (before == 0 || before > s.last) {
				from = s.last + 1
			}
			if from != 0 && from <= s.first {
				continue
			}
			for e, err := range s.ScanBack(ctx, from) {
				if err == nil {
					err = s.joins(e)
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// Document implements Reader.
func (l lineage) Document(ctx context.Context, seq Seq, move int) ([]byte, error) {
	s, err := l.holding(ctx, seq)
	if err != nil {
		return nil, err
	}
	return s.Document(ctx, seq, move)
}

// Answered implements Reader.
func (l lineage) Answered(ctx context.Context, actor Actor, key string, now time.Time) (Answer, bool, error) {
	return l.end().Answered(ctx, actor, key, now)
}

// parentOf is what the first event of an incarnation says of the one before.
func parentOf(first Event) (*Position, error) {
	b, ok := first.Body.(IncarnationStarted)
	if !ok {
		return nil, errors.New("the first event does not start the incarnation")
	}
	return b.Parent, nil
}
