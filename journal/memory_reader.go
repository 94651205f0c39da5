package journal

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/google/uuid"
)

// memoryReader is one warehouse's history in a Memory.
type memoryReader struct {
	m           *Memory
	warehouse   uuid.UUID
	incarnation uuid.UUID // Nil: the current one
}

// Head implements Reader.
func (r memoryReader) Head(ctx context.Context) (Position, error) {
	_, head, err := r.current(ctx)
	return head, err
}

// Find implements Reader.
func (r memoryReader) Find(ctx context.Context, id uuid.UUID) (Event, bool, error) {
	h, _, err := r.current(ctx)
	if errors.Is(err, ErrNoWarehouse) {
		return Event{}, false, nil
	}
	if err != nil {
		return Event{}, false, err
	}
	r.m.mu.RLock()
	seq, ok := h.seqs[id]
	r.m.mu.RUnlock()
	if !ok {
		return Event{}, false, nil
	}
	e, err := r.event(h, seq)
	return e, err == nil, err
}

// Scan implements Reader.
func (r memoryReader) Scan(ctx context.Context, after Seq) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		h, head, err := r.current(ctx)
		if err != nil {
			end(err, yield)
			return
		}
		for seq := max(after, h.first-1); seq < head.Seq; seq++ {
			if !r.step(ctx, h, seq+1, yield) {
				return
			}
		}
	}
}

// ScanBack implements Reader.
func (r memoryReader) ScanBack(ctx context.Context, before Seq) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		h, head, err := r.current(ctx)
		if err != nil {
			end(err, yield)
			return
		}
		if before == 0 || before > head.Seq {
			before = head.Seq + 1
		}
		for seq := before - 1; seq >= h.first; seq-- {
			if !r.step(ctx, h, seq, yield) {
				return
			}
		}
	}
}

// Document implements Reader.
func (r memoryReader) Document(ctx context.Context, seq Seq, move int) ([]byte, error) {
	h, head, err := r.current(ctx)
	if err != nil {
		return nil, err
	}
	return Shelf(func(seq Seq, move int) (Event, Document, error) {
		if seq < h.first || seq > head.Seq {
			return Event{}, Document{}, ErrNoEvent
		}
		return r.kept(h, documentKey{seq, move})
	}).Open(seq, move)
}

// kept is the event at a seq that is there, and its document of a move.
func (r memoryReader) kept(h *history, at documentKey) (Event, Document, error) {
	e, err := r.event(h, at.seq)
	if err != nil {
		return e, Document{}, err
	}
	if _, err := e.DocumentDigest(at.move); err != nil {
		return e, Document{}, err
	}
	r.m.mu.RLock()
	d, ok := h.documents[at]
	r.m.mu.RUnlock()
	if !ok {
		return e, d, ErrNotKept
	}
	return e, d, nil
}

// Answered implements Reader.
func (r memoryReader) Answered(ctx context.Context, actor Actor, key string, now time.Time) (Answer, bool, error) {
	h, _, err := r.current(ctx)
	if errors.Is(err, ErrNoWarehouse) {
		return Answer{}, false, nil
	}
	if err != nil {
		return Answer{}, false, err
	}
	r.m.mu.RLock()
	defer r.m.mu.RUnlock()
	a, ok, err := h.requests.find(Request{Actor: actor, Key: key}.Digest())
	if err != nil || !ok || a.Expired(now) {
		return Answer{}, false, err
	}
	return a, true, nil
}

// current is the history that is read, the current one unless one is named, and
// its head now.
func (r memoryReader) current(ctx context.Context) (*history, Position, error) {
	if err := ctx.Err(); err != nil {
		return nil, Position{}, err
	}
	r.m.mu.RLock()
	defer r.m.mu.RUnlock()
	if r.m.closed {
		return nil, Position{}, ErrClosed
	}
	if r.incarnation != uuid.Nil {
		h, ok := r.m.histories[historyKey{r.warehouse, r.incarnation}]
		if !ok {
			return nil, Position{}, ErrNoWarehouse
		}
		return h, h.head(r.incarnation), nil
	}
	head, ok := r.m.heads[r.warehouse]
	if !ok {
		return nil, Position{}, ErrNoWarehouse
	}
	return r.m.histories[historyKey{r.warehouse, head.Head.Incarnation}], head.Head, nil
}

// event decodes the event at a seq that is there.
func (r memoryReader) event(h *history, seq Seq) (Event, error) {
	r.m.mu.RLock()
	l := h.records[seq-h.first]
	r.m.mu.RUnlock()
	return Decode(l.prev, l.record)
}

// step yields the event at a seq that is there, and tells whether to go on.
func (r memoryReader) step(ctx context.Context, h *history, seq Seq, yield func(Event, error) bool) bool {
	if err := ctx.Err(); err != nil {
		return yield(Event{}, err) && false
	}
	e, err := r.event(h, seq)
	return yield(e, err) && err == nil
}
