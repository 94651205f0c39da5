package bolt

import (
	"bytes"
	"context"
	"encoding/binary"

	"go.etcd.io/bbolt"

	"puddle/journal"
)

const documentKeySize = 8 + 4 + 4

// beside is what one transaction saw beside an event.
type beside struct {
	stored
	odd    bool         // the key is none of an event
	moves  map[int]bool // of which a document is kept
	reason string       // what is wrong with the keys of its documents
}

// step looks at some events from a seq on, and answers the one to go on with.
func (a *audit) step(ctx context.Context, from journal.Seq) (next journal.Seq, err error) {
	var batch []beside
	err = a.current(ctx, func(h history) error {
		batch = h.copyBeside(from, a.x.Head.Seq)
		return nil
	})
	if err != nil {
		return 0, err
	}
	if len(batch) == 0 {
		a.x.Gap(from, a.x.Head.Seq)
		return 0, nil
	}
	var whole []journal.Event
	for _, s := range batch {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if s.odd {
			a.x.Flaw(s.seq, false, "there is a key that is none of an event")
			continue
		}
		if s.seq > from {
			a.x.Gap(from, s.seq-1)
		}
		from = s.seq + 1
		e, err := history{warehouse: a.warehouse, incarnation: a.incarnation}.decode(s.stored)
		ok, err := a.x.Event(e, err)
		if err != nil {
			return 0, err
		}
		if ok {
			whole = append(whole, e)
			if err := a.documents(ctx, e, s); err != nil {
				return 0, err
			}
		}
	}
	return from, a.listed(ctx, whole)
}

func (h history) copyBeside(from, last journal.Seq) (batch []beside) {
	size := 0
	c, documents := h.events.Cursor(), h.documents.Cursor()
	for key, value := c.Seek(seqKey(from)); key != nil; key, value = c.Next() {
		seq := seqOf(key)
		if len(key) != 8 {
			at := journal.Seq(0)
			if len(key) > 8 {
				at = seqOf(key[:8])
			}
			batch = append(batch, beside{stored: stored{seq: at}, odd: true})
			continue
		}
		if seq > last || len(batch) == batchEvents || size >= batchBytes {
			break
		}
		s := beside{stored: stored{seq, bytes.Clone(value)}, moves: map[int]bool{}}
		s.keys(documents)
		batch = append(batch, s)
		size += len(value)
	}
	return batch
}

// keys reads the keys of the documents that are kept of an event.
func (s *beside) keys(c *bbolt.Cursor) {
	prefix := seqKey(s.seq)
	move, chunk := -1, 0
	for key, _ := c.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = c.Next() {
		if len(key) != documentKeySize {
			s.reason = "the key of a document has an odd length"
			continue
		}
		if m := int(binary.BigEndian.Uint32(key[8:])); m != move {
			move, chunk = m, 0
		}
		if int(binary.BigEndian.Uint32(key[12:])) != chunk {
			s.reason = "a chunk of a document is missing"
		}
		chunk++
		s.moves[move] = true
	}
}

// listed checks that events are listed under their ids, and no other is.
func (a *audit) listed(ctx context.Context, events []journal.Event) error {
	return a.current(ctx, func(h history) error {
		for _, e := range events {
			if at := h.ids.Get(e.ID[:]); len(at) != 8 || seqOf(at) != e.Seq {
				a.x.Flaw(e.Seq, true, "the id %s is listed at another event, or not at all", e.ID)
			}
		}
		return nil
	})
}
