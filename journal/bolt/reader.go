package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
)

// reader reads one incarnation of a warehouse.
type reader struct {
	j           *Journal
	warehouse   uuid.UUID
	incarnation uuid.UUID // Nil: the current one
}

// Head implements journal.Reader.
func (r reader) Head(ctx context.Context) (journal.Position, error) {
	var head journal.Position
	err := r.current(ctx, func(h history) error {
		head = h.head
		return nil
	})
	return head, err
}

// Find implements journal.Reader.
func (r reader) Find(ctx context.Context, id uuid.UUID) (journal.Event, bool, error) {
	var s stored
	var h history
	err := r.current(ctx, func(now history) (err error) {
		h = now
		if seq := h.ids.Get(id[:]); seq != nil && !h.hides(seqOf(seq)) {
			s, err = h.get(seqOf(seq))
		}
		return err
	})
	if errors.Is(err, journal.ErrNoWarehouse) || err == nil && s.seq == 0 {
		return journal.Event{}, false, nil
	}
	if err != nil {
		return journal.Event{}, false, err
	}
	e, err := h.decode(s)
	if err == nil && e.ID != id {
		err = h.damage(s.seq, fmt.Errorf("the event has the id %s, it was looked for as %s", e.ID, id))
	}
	return e, err == nil, err
}

// Document implements journal.Reader.
func (r reader) Document(ctx context.Context, seq journal.Seq, move int) ([]byte, error) {
	return r.shelf(ctx).Open(seq, move)
}

// shelf looks documents up, all in one incarnation.
func (r reader) shelf(ctx context.Context) journal.Shelf {
	return func(seq journal.Seq, move int) (journal.Event, journal.Document, error) {
		e, d, err := r.kept(ctx, seq, move)
		r.incarnation = e.Incarnation // what it is built on is in no other
		return e, d, err
	}
}

// kept is the document of a move as it is stored, and its event.
func (r reader) kept(ctx context.Context, seq journal.Seq, move int) (e journal.Event, d journal.Document, err error) {
	var s stored
	var h history
	var data []byte
	err = r.current(ctx, func(now history) (err error) {
		if h = now; seq < h.first() || seq == 0 || seq > h.head.Seq {
			return fmt.Errorf("%w: seq %d", journal.ErrNoEvent, seq)
		}
		if s, err = h.get(seq); err == nil {
			data, err = h.chunks(seq, move)
		}
		return err
	})
	if err != nil {
		return e, d, err
	}
	if e, err = h.decode(s); err != nil {
		return e, d, err
	}
	if _, err := e.DocumentDigest(move); err != nil {
		return e, d, err
	}
	if len(data) == 0 {
		return e, d, fmt.Errorf("%w: move %d of event %s", journal.ErrNotKept, move, e.Position)
	}
	return e, journal.Document{Move: move, Codec: journal.Codec(data[0]), Data: data[1:]}, nil
}

// current reads the buckets of the incarnation, up to the last event that is
// durable. They are gone when fn returns; the names and the head in the history
// stay.
func (r reader) current(ctx context.Context, fn func(history) error) error {
	head, known, all := r.j.durable.head(r.warehouse)
	return r.j.view(ctx, func(tx *bbolt.Tx) (err error) {
		var h history
		switch {
		case r.incarnation != uuid.Nil && !holds(tx, r.warehouse, r.incarnation):
			err = fmt.Errorf("%w: incarnation %s of %s", journal.ErrNoWarehouse, r.incarnation, r.warehouse)
		case all || r.incarnation != uuid.Nil && r.incarnation != head.Incarnation:
			h, err = r.open(tx)
		case known:
			h, err = openHistory(tx, r.warehouse, head.Incarnation)
			h.head = head
		default:
			err = fmt.Errorf("%w: %s", journal.ErrNoWarehouse, r.warehouse)
		}
		if err != nil {
			return err
		}
		return fn(h)
	})
}

// holds tells whether there is such an incarnation.
func holds(tx *bbolt.Tx, warehouse, incarnation uuid.UUID) bool {
	b := tx.Bucket(bucketWarehouses).Bucket(warehouse[:])
	return b != nil && b.Bucket(incarnation[:]) != nil
}

func (r reader) open(tx *bbolt.Tx) (history, error) {
	if r.incarnation != uuid.Nil {
		return openHistory(tx, r.warehouse, r.incarnation)
	}
	return openCurrent(tx, r.warehouse)
}

// stored is a copy of one value in events.
type stored struct {
	seq   journal.Seq
	value []byte
}

// get copies a record that must be there.
func (h history) get(seq journal.Seq) (stored, error) {
	value := h.events.Get(seqKey(seq))
	if value == nil {
		return stored{}, h.reading().Missing(seq)
	}
	return stored{seq, bytes.Clone(value)}, nil
}

// hides tells that an event is there, but not durable.
func (h history) hides(seq journal.Seq) bool { return seq > h.head.Seq && seq <= h.written }

// first is the seq of the first event that is there.
func (h history) first() journal.Seq {
	key, _ := h.events.Cursor().First()
	return seqOf(key)
}

// chunks joins the chunks of a document; none when it was not kept.
func (h history) chunks(seq journal.Seq, move int) ([]byte, error) {
	var data []byte
	prefix := documentPrefix(seq, move)
	c := h.documents.Cursor()
	chunk := 0
	for key, value := c.Seek(prefix); bytes.HasPrefix(key, prefix); key, value = c.Next() {
		if !bytes.Equal(key, chunkKey(seq, move, chunk)) {
			return nil, h.damage(seq, fmt.Errorf("chunk %d of the document of move %d is missing", chunk, move))
		}
		data = append(data, value...)
		chunk++
	}
	return data, nil
}

// decode makes the event of what is stored at its seq. Whether the event belongs
// there is for the chain to say.
func (h history) decode(s stored) (journal.Event, error) {
	prev, record, err := unseal(s.seq, s.value)
	if err != nil {
		return journal.Event{}, h.damage(s.seq, err)
	}
	return h.reading().Decode(s.seq, prev, record)
}
