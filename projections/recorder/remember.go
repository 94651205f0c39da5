package recorder

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// memo is an answer to remember and the caller who waits for it.
type memo struct {
	warehouse uuid.UUID
	answer    journal.Answer
	reply     chan error // holds one
}

// Remember keeps an answer that made no event: it binds the key of its request,
// durably before it returns. It honours ctx only until the answer is taken, like
// Record. journal.ErrKeyTaken: the key is bound already and was left as it is.
// Besides that the errors are those of Record for an answer that is refused
// (journal.ErrRequest, journal.ErrTooLarge, journal.ErrNoWarehouse), that may be
// tried again, or whose outcome is unknown.
func (r *Recorder) Remember(ctx context.Context, warehouse uuid.UUID, a journal.Answer) error {
	if err := journal.CheckAnswers([]journal.Answer{a}); err != nil {
		return err
	}
	if r.life.Err() != nil {
		return context.Cause(r.life)
	}
	if ctx.Err() != nil {
		return notRecorded(context.Cause(ctx))
	}
	l, err := r.backend.lane(ctx, warehouse)
	if err != nil {
		return err
	}
	m := &memo{warehouse: warehouse, answer: a, reply: make(chan error, 1)}
	select {
	case l.memos <- m:
	case <-ctx.Done():
		return notRecorded(context.Cause(ctx))
	case <-r.life.Done():
		return context.Cause(r.life)
	}
	return <-m.reply
}

// batch is the answers of a group, which are of one warehouse.
type batch struct {
	memos   []*memo
	answers []journal.Answer // of the memos
	losers  []*memo          // whose keys the winners or the answers bind
	size    int
}

// gather adds the answers whose keys are free, and answers those whose keys are bound
// already. What does not fit is left.
func (g *group) gather(ctx context.Context, taken []*memo) (left []*memo) {
	b := &g.batch
	for _, m := range taken {
		if b.size+m.answer.Size() > journal.MaxGroupBytes {
			left = append(left, m)
			continue
		}
		chain, ok := g.end(m.warehouse)
		if !ok {
			m.reply <- fmt.Errorf("%w: %s", journal.ErrNoWarehouse, m.warehouse)
			continue
		}
		key := bound{m.warehouse, m.answer.Digest()}
		if g.keys[key] {
			b.losers = append(b.losers, m)
			continue
		}
		if err := g.checkFree(ctx, m, moment(chain, g.pass.now())); err != nil {
			m.reply <- err
			continue
		}
		b.memos, b.answers = append(b.memos, m), append(b.answers, m.answer)
		g.keys[key] = true
		b.size += m.answer.Size()
	}
	return left
}

// moment is when answers bind their keys: now, or when the newest event was.
func moment(chain journal.Chain, now journal.Instant) time.Time {
	if now.Trusted.Before(chain.At) {
		return chain.At
	}
	return now.Trusted
}

// checkFree refuses a key that is bound in the journal.
func (g *group) checkFree(ctx context.Context, m *memo, at time.Time) error {
	switch bound, err := g.pass.answered(ctx, m.warehouse, m.answer.Request, at); {
	case err != nil:
		return notRecorded(err)
	case bound:
		return takenKey(m.answer.Key)
	}
	return nil
}

func takenKey(key string) error { return fmt.Errorf("%w: %s", journal.ErrKeyTaken, key) }

// acknowledge answers a batch that was stored.
func (b *batch) acknowledge() {
	for _, m := range b.memos {
		m.reply <- nil
	}
	for _, m := range b.losers {
		m.reply <- takenKey(m.answer.Key)
	}
}

// fail answers a batch that was not, or of which that is unknown. What its losers lost
// to was perhaps not bound, so that they are not told of it.
func (b *batch) fail(won, lost error) {
	for _, m := range b.memos {
		m.reply <- won
	}
	for _, m := range b.losers {
		m.reply <- lost
	}
}
