package archive

import (
	"context"
	"iter"
	"sync"

	"puddle/journal"
)

// How much is read while the segment before it is used: so many segments at most, and so
// many bytes with that one, as far as the list of the store tells. What is larger is read
// when all before it has been used. Small ones are many, and what reading them takes is
// the way to the store.
const (
	mostAhead  = 32
	aheadBytes = 8 * MaxSegmentBytes
)

// inflates is how many times their size events have in memory, about.
const inflates = 8

// weight is about how many bytes a segment has in memory, with its documents where they
// are read.
func (l listed) weight(documents bool) int64 {
	if documents {
		return inflates*l.events + l.documents
	}
	return inflates * l.events
}

// inOrder yields what is read of segments, each by a goroutine of its own. Those behind
// the first are begun with when that one has been used.
func inOrder[T any](ctx context.Context, of []listed, documents bool, read func(context.Context, journal.Seq) T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		ctx, stop := context.WithCancel(ctx)
		var all sync.WaitGroup
		defer all.Wait()
		defer stop()
		var begun []chan T // the oldest first
		held := int64(0)   // by what was begun and is not used
		for i, next := 0, 0; i < len(of); i++ {
			for next < len(of) && (next == i || i > 0 && next-i <= mostAhead && held+of[next].weight(documents) <= aheadBytes) {
				found, first := make(chan T, 1), of[next].first
				begun = append(begun, found)
				all.Go(func() { found <- read(ctx, first) })
				held += of[next].weight(documents)
				next++
			}
			found := <-begun[0]
			if begun = begun[1:]; !yield(i, found) {
				return
			}
			held -= of[i].weight(documents)
		}
	}
}
