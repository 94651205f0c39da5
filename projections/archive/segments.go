package archive

import (
	"context"
	"iter"

	"puddle/journal"
)

// segmentsBack yields those that have the events before a seq, the newest first, each
// checked to be followed by the one before it.
func (r reader) segmentsBack(ctx context.Context, before journal.Seq) iter.Seq2[*segment, error] {
	return func(yield func(*segment, error) bool) {
		if r.of == nil {
			return
		}
		next := r.of.end.Seq
		if before != 0 {
			next = min(next, before-1)
		}
		var after *segment
		for next >= r.of.first() {
			s, err := r.holding(ctx, next)
			if err == nil && after != nil {
				err = after.follows(s)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(s, nil) {
				return
			}
			after, next = s, s.First.Seq-1
		}
	}
}

// follows checks that a segment goes on where another one ends.
func (s *segment) follows(before *segment) error {
	if before.Last.Hash != s.Prev || before.Last.Seq+1 != s.First.Seq {
		return s.damage(s.First.Seq, "it does not link to the segment before, which ends at %d", before.Last.Seq)
	}
	return nil
}

// gap is that there is no segment behind this one, where there should be.
func (s *segment) gap() error {
	next := s.Last.Seq + 1
	return damaged(key(s.Incarnation, next, eventsPart), s.Warehouse, s.Incarnation, next, "it is missing")
}
