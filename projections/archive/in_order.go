package archive

import (
	"context"
	"iter"
	"sync"

	"github.com/google/uuid"

	"puddle/journal"
)

// auditAhead is how many segments an audit reads at the same time.
const auditAhead = 16

// proven is a segment that was read whole.
type proven struct {
	segment   *segment
	err       error // why there is none
	documents error // what is wrong with its documents
}

// inOrder yields segments, and reads those behind the one that is used, with their
// documents, each by a goroutine of its own.
func (a *Archive) inOrder(ctx context.Context, incarnation uuid.UUID, firsts []journal.Seq) iter.Seq2[int, proven] {
	return func(yield func(int, proven) bool) {
		ctx, stop := context.WithCancel(ctx)
		var all sync.WaitGroup
		defer all.Wait()
		defer stop()
		var begun []chan proven // the oldest first
		for i, next := 0, 0; i < len(firsts); i++ {
			for ; next < len(firsts) && len(begun) < auditAhead; next++ {
				read, first := make(chan proven, 1), firsts[next]
				begun = append(begun, read)
				all.Go(func() { read <- a.prove(ctx, incarnation, first) })
			}
			p := <-begun[0]
			if begun = begun[1:]; !yield(i, p) {
				return
			}
		}
	}
}

func (a *Archive) prove(ctx context.Context, incarnation uuid.UUID, first journal.Seq) (p proven) {
	if p.segment, p.err = a.segment(ctx, incarnation, first); p.err == nil {
		_, p.documents = a.documents(ctx, p.segment)
	}
	return p
}
