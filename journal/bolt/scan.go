package bolt

import (
	"context"
	"errors"
	"iter"

	"go.etcd.io/bbolt"

	"puddle/journal"
)

// Limits of what one transaction copies, so that it is short (formats §3), and so that
// those who follow the journal leave little garbage: a copy grows to this size each time.
const (
	batchEvents = 1_000
	batchBytes  = 256 << 10
)

// Scan implements journal.Reader. It ends at the head as it was in the beginning.
func (r reader) Scan(ctx context.Context, after journal.Seq) iter.Seq2[journal.Event, error] {
	return journal.Begun(func() (iter.Seq2[journal.Event, error], error) {
		h, chain, err := r.begin(ctx, after)
		return journal.Events(h.reading().Scan(ctx, chain, r.page(ctx, h, forward))), err
	})
}

// page copies records of a history, and decodes them one by one.
func (r reader) page(ctx context.Context, h history, step direction) journal.Page {
	var b batch
	return func(from journal.Seq) iter.Seq2[journal.Entry, error] {
		return func(yield func(journal.Entry, error) bool) {
			if err := r.read(ctx, &b, h, from, step); err != nil {
				yield(journal.Entry{}, err)
				return
			}
			for _, s := range b.records {
				e, err := h.passed(s)
				if !yield(journal.Entry{Event: e}, err) {
					return
				}
			}
		}
	}
}

// passed decodes what was come to. A key that is no seq has no event, which is then
// found to be missing.
func (h history) passed(s stored) (journal.Event, error) {
	if s.seq == 0 {
		return journal.Event{}, nil
	}
	return h.decode(s)
}

// begin finds the chain that a scan after a seq starts with.
func (r reader) begin(ctx context.Context, after journal.Seq) (h history, chain journal.Chain, err error) {
	var last stored
	err = r.current(ctx, func(now history) error {
		h = now
		first := h.first()
		if first == 0 {
			return h.damage(0, errors.New("the first event is missing"))
		}
		chain = journal.NewChain(h.warehouse, h.incarnation, first-1)
		if after < first {
			return nil
		}
		last, err = h.get(min(after, h.head.Seq))
		return err
	})
	if err != nil || last.seq == 0 {
		return h, chain, err
	}
	e, err := h.decode(last)
	return h, journal.ChainAt(e), err
}

// ScanBack implements journal.Reader.
func (r reader) ScanBack(ctx context.Context, before journal.Seq) iter.Seq2[journal.Event, error] {
	return journal.Begun(func() (iter.Seq2[journal.Event, error], error) {
		h, at, want, err := r.beginBack(ctx, before)
		return h.reading().ScanBack(ctx, at, want, r.page(ctx, h, backward)), err
	})
}

// beginBack finds the seq that a scan back starts with and the hash that the
// event there must have.
func (r reader) beginBack(ctx context.Context, before journal.Seq) (h history, at journal.Seq, want journal.Digest, err error) {
	var after stored
	err = r.current(ctx, func(now history) (err error) {
		h = now
		at, want = h.head.Seq, h.head.Hash
		if before == 0 || before > h.head.Seq {
			return nil
		}
		if before <= h.first() {
			want = journal.Genesis(h.warehouse, h.incarnation)
			return nil
		}
		after, err = h.get(before)
		return err
	})
	if err != nil || after.seq == 0 {
		return h, at, want, err
	}
	e, err := h.decode(after)
	return h, before - 1, e.Prev, err
}

// direction is which record comes after one.
type direction func(*bbolt.Cursor) (key, value []byte)

func forward(c *bbolt.Cursor) (key, value []byte)  { return c.Next() }
func backward(c *bbolt.Cursor) (key, value []byte) { return c.Prev() }

// batch is the copies of some records. The next is copied into the same memory: no
// event refers to it.
type batch struct {
	records []stored
	bytes   []byte // of their values
}

// read copies some records from a seq on, at least one, in one transaction.
func (r reader) read(ctx context.Context, b *batch, h history, from journal.Seq, step direction) error {
	return r.j.view(ctx, func(tx *bbolt.Tx) error {
		now, err := openHistory(tx, h.warehouse, h.incarnation)
		if err != nil {
			return err
		}
		b.copy(now.events.Cursor(), from, h.head.Seq, step)
		if len(b.records) == 0 {
			return h.reading().Missing(from)
		}
		return nil
	})
}

func (b *batch) copy(c *bbolt.Cursor, from, last journal.Seq, step direction) {
	b.records, b.bytes = b.records[:0], b.bytes[:0]
	for key, value := c.Seek(seqKey(from)); key != nil; key, value = step(c) {
		seq := seqOf(key)
		if seq > last || len(b.records) == batchEvents || len(b.bytes) >= batchBytes {
			break
		}
		start := len(b.bytes)
		b.bytes = append(b.bytes, value...)
		b.records = append(b.records, stored{seq, b.bytes[start:len(b.bytes):len(b.bytes)]})
	}
}
