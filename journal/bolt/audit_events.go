package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

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
		batch = h.copyBeside(from, a.head.Seq)
		return nil
	})
	if err != nil {
		return 0, err
	}
	if len(batch) == 0 {
		a.gap(from, a.head.Seq)
		return 0, nil
	}
	var whole []journal.Event
	for _, s := range batch {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if s.odd {
			a.flaw(s.seq, false, "there is a key that is none of an event")
			continue
		}
		if s.seq > from {
			a.gap(from, s.seq-1)
		}
		from = s.seq + 1
		e, ok, err := a.event(s)
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

// gap tells of events that are missing.
func (a *audit) gap(from, to journal.Seq) {
	if from == to {
		a.flaw(from, false, "the event is missing")
	} else {
		a.flaw(from, false, "the events up to %s are missing", to)
	}
	a.lost, a.begun = true, true
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

// event checks one record and its place in the chain; false when nobody can tell
// what it was.
func (a *audit) event(s beside) (journal.Event, bool, error) {
	a.seen.Events++
	h := history{warehouse: a.warehouse, incarnation: a.incarnation}
	e, err := h.decode(s.stored)
	var damage *journal.Damage
	switch {
	case errors.As(err, &damage):
		a.found(journal.Flaw{Damage: *damage})
		a.lost, a.begun = true, true
		return e, false, nil
	case err != nil:
		return e, false, err // a newer build's
	}
	a.link(e)
	return e, true, nil
}

// link checks that an event is the chain's next. After a record that was lost it
// is taken as it says.
func (a *audit) link(e journal.Event) {
	switch {
	case !a.begun:
		a.first = e
		if _, starts := e.Body.(journal.IncarnationStarted); !starts {
			a.flaw(e.Seq, false, "the first event is %s, not %s", e.Kind(), journal.KindIncarnationStarted)
		}
		if e.Prev != journal.Genesis(e.Warehouse, e.Incarnation) {
			a.flaw(e.Seq, false, "the first event links to one before it")
		}
	case a.lost:
	default:
		if _, err := a.chain.Follow(e); err != nil {
			a.flaw(e.Seq, false, "%v", err)
		}
	}
	a.chain, a.begun, a.lost = journal.ChainAt(e), true, false
	if e.Seq == a.head.Seq && e.Hash != a.head.Hash {
		a.flaw(e.Seq, false, "the event has the hash %s, the head says %s", e.Hash, a.head.Hash)
	}
}

// listed checks that events are listed under their ids, and no other is.
func (a *audit) listed(ctx context.Context, events []journal.Event) error {
	return a.current(ctx, func(h history) error {
		for _, e := range events {
			if at := h.ids.Get(e.ID[:]); len(at) != 8 || seqOf(at) != e.Seq {
				a.flaw(e.Seq, true, "the id %s is listed at another event, or not at all", e.ID)
			}
		}
		return nil
	})
}
