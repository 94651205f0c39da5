package recorder

import (
	"context"
	"errors"
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
	m := &memo{warehouse: warehouse, answer: a, reply: make(chan error, 1)}
	select {
	case r.memos <- m:
	case <-ctx.Done():
		return notRecorded(context.Cause(ctx))
	case <-r.life.Done():
		return context.Cause(r.life)
	}
	return <-m.reply
}

// remember stores what was taken, in a transaction of its own for each warehouse:
// one sync for all that wait.
func (r *Recorder) remember(taken []*memo) {
	ctx := context.Background()
	for len(taken) > 0 {
		var b batch
		taken = r.gather(ctx, &b, taken)
		if len(b.memos) == 0 {
			continue
		}
		err := r.journal.Remember(ctx, b.warehouse, b.now, b.answers...)
		if err != nil && stops(err) {
			taken = r.dismiss(taken, err)
		}
		b.answer(err)
	}
}

// answer answers a batch. What its losers lost to was bound only if all went well:
// else they are not told of it.
func (b *batch) answer(err error) {
	won, lost := err, stopped(err)
	if err != nil && !errors.Is(err, journal.ErrUnknownOutcome) {
		won, lost = notRecorded(err), notRecorded(err)
	}
	for _, m := range b.memos {
		m.reply <- won
	}
	for _, m := range b.losers {
		if err == nil {
			lost = takenKey(m.answer.Key)
		}
		m.reply <- lost
	}
}

// batch is answers of one warehouse that are stored together.
type batch struct {
	warehouse uuid.UUID
	now       time.Time
	memos     []*memo
	answers   []journal.Answer // of the memos
	keys      map[journal.Digest]bool
	losers    []*memo // whose keys the answers bind
	size      int
}

// gather fills a batch with answers whose keys are free, and answers those whose
// keys the journal has bound.
// What does not belong or fit into it is left.
func (r *Recorder) gather(ctx context.Context, b *batch, taken []*memo) (left []*memo) {
	b.warehouse, b.keys = taken[0].warehouse, make(map[journal.Digest]bool, len(taken))
	chain, ok := r.chains[b.warehouse]
	b.now = r.options.Clock.Read().Trusted
	if b.now.Before(chain.At) {
		b.now = chain.At
	}
	for _, m := range taken {
		if m.warehouse != b.warehouse || b.size+m.answer.Size() > journal.MaxGroupBytes {
			left = append(left, m)
			continue
		}
		if !ok {
			m.reply <- fmt.Errorf("%w: %s", journal.ErrNoWarehouse, m.warehouse)
			continue
		}
		if b.keys[m.answer.Digest()] {
			b.losers = append(b.losers, m)
			continue
		}
		if err := r.checkFree(ctx, b, m.answer.Request); err != nil {
			m.reply <- err
			continue
		}
		b.memos, b.answers = append(b.memos, m), append(b.answers, m.answer)
		b.keys[m.answer.Digest()] = true
		b.size += m.answer.Size()
	}
	return left
}

// checkFree refuses a key that is bound in the journal.
func (r *Recorder) checkFree(ctx context.Context, b *batch, a journal.Request) error {
	switch _, bound, err := r.journal.Warehouse(b.warehouse).Answered(ctx, a.Actor, a.Key, b.now); {
	case err != nil:
		return notRecorded(err)
	case bound:
		return takenKey(a.Key)
	}
	return nil
}

func takenKey(key string) error { return fmt.Errorf("%w: %s", journal.ErrKeyTaken, key) }

// dismiss stops the recorder and answers what was taken and not yet tried.
func (r *Recorder) dismiss(left []*memo, reason error) []*memo {
	r.halt(nil, reason)
	r.refuse(left)
	return nil
}

// refuse answers those who come after the recorder was halted.
func (r *Recorder) refuse(memos []*memo) {
	for _, m := range memos {
		m.reply <- context.Cause(r.life)
	}
}
