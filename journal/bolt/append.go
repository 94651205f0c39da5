package bolt

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"puddle/journal"
)

// Append implements journal.Writer.
func (j *Journal) Append(ctx context.Context, entries ...journal.Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := journal.CheckGroup(entries); err != nil {
		return err
	}
	values := make([][]byte, len(entries))
	for i, e := range entries {
		values[i] = seal(e.Event.Seq, e.Event.Prev, e.Record)
	}
	answers, err := journal.EncodeRequests(entries)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.openLocked(); err != nil {
		return err
	}
	moved, err := j.durable.heads.Follow(entries...)
	if err != nil {
		return err
	}
	return j.writeLocked(write{
		fill: func(tx *bbolt.Tx) error {
			if err := based(tx, entries); err != nil {
				return err
			}
			return putAll(tx, entries, values, answers)
		},
		there: func(tx *bbolt.Tx) (bool, error) { return appended(tx, entries) },
		binds: bindings(entries),
		moved: moved,
	})
}

// openLocked tells why nothing is written any more.
func (j *Journal) openLocked() error {
	if j.failed != nil {
		return fmt.Errorf("%w: %s: %v", journal.ErrClosed, j.path, j.failed)
	}
	return nil
}

// bindings are what entries bind.
func bindings(entries []journal.Entry) (binds []binding) {
	for _, e := range entries {
		if e.Request != nil {
			binds = append(binds, binding{e.Event.Warehouse, e.Request.Digest()})
		}
	}
	return binds
}

// appended looks the entries of a group up by their ids. One transaction wrote
// all or none of them.
func appended(tx *bbolt.Tx, entries []journal.Entry) (bool, error) {
	found := 0
	for _, e := range entries {
		at := e.Event.Position
		w := tx.Bucket(bucketWarehouses).Bucket(e.Event.Warehouse[:])
		if w == nil || w.Bucket(at.Incarnation[:]) == nil {
			continue // it was to be born by the group
		}
		h, err := openHistory(tx, e.Event.Warehouse, at.Incarnation)
		if err != nil {
			return false, err
		}
		if seqOf(h.ids.Get(e.Event.ID[:])) == at.Seq {
			found++
		}
	}
	if found != 0 && found != len(entries) {
		return false, &journal.Damage{Reason: fmt.Sprintf("%d of a group of %d events are there", found, len(entries))}
	}
	return found != 0, nil
}

// based checks that what the documents of a group are built on is kept.
func based(tx *bbolt.Tx, entries []journal.Entry) error {
	for _, e := range entries {
		for _, d := range e.Documents {
			err := d.CheckBase(func(seq journal.Seq, move int) (journal.Document, bool) {
				start := keptStart(tx, e.Event, chunkKey(seq, move, 0))
				if len(start) == 0 {
					return journal.Document{}, false
				}
				return journal.Document{Move: move, Codec: journal.Codec(start[0]), Data: start[1:]}, true
			})
			if err != nil {
				return fmt.Errorf("event %s: %w", e.Event.Position, err)
			}
		}
	}
	return nil
}

// keptStart is the first chunk of a document in the incarnation of an event, nil
// when there is none.
func keptStart(tx *bbolt.Tx, e journal.Event, key []byte) []byte {
	b := tx.Bucket(bucketWarehouses)
	for _, name := range [][]byte{e.Warehouse[:], e.Incarnation[:], bucketDocuments} {
		if b = b.Bucket(name); b == nil {
			return nil
		}
	}
	return b.Get(key)
}

// putAll puts a group in. Each history that it goes into is looked up once.
func putAll(tx *bbolt.Tx, entries []journal.Entry, values, answers [][]byte) error {
	type key struct{ warehouse, incarnation uuid.UUID }
	into := make(map[key]*history, 1)
	for i := range entries {
		e := &entries[i].Event
		h := into[key{e.Warehouse, e.Incarnation}]
		if h == nil || e.Kind() == journal.KindIncarnationStarted {
			var err error
			if h, err = openToAppend(tx, *e); err != nil {
				return err
			}
			into[key{e.Warehouse, e.Incarnation}] = h
		}
		if err := h.put(entries[i], values[i], answers[i]); err != nil {
			return err
		}
	}
	for _, h := range into {
		if err := h.meta.Put(keyHead, headValue(h.head)); err != nil {
			return err
		}
	}
	return nil
}

// openToAppend finds the history that an event goes into, or begins it.
func openToAppend(tx *bbolt.Tx, e journal.Event) (*history, error) {
	if e.Kind() == journal.KindIncarnationStarted {
		if err := start(tx, e); err != nil {
			return nil, err
		}
	}
	h, err := openHistory(tx, e.Warehouse, e.Incarnation)
	if err != nil {
		return nil, err
	}
	// Keys only ascend: full pages are never split, so they may be filled.
	h.events.FillPercent, h.documents.FillPercent, h.ids.FillPercent = 1, 1, 1
	return &h, nil
}

// put adds an event and what is beside it, and moves the head that putAll stores.
func (h *history) put(e journal.Entry, value, answer []byte) error {
	h.head = e.Event.Position
	if taken := h.ids.Get(e.Event.ID[:]); taken != nil {
		return fmt.Errorf("%w: the id %s is taken", journal.ErrNotNext, e.Event.ID)
	}
	key := seqKey(h.head.Seq)
	if err := h.events.Put(key, value); err != nil {
		return err
	}
	if err := h.ids.Put(e.Event.ID[:], key); err != nil {
		return err
	}
	for _, d := range e.Documents {
		if err := putDocument(h.documents, h.head.Seq, d); err != nil {
			return err
		}
	}
	if e.Request != nil {
		return h.bind(*e.Request, answer, e.Event.At)
	}
	return nil
}

// start makes the buckets of an incarnation and makes it current.
func start(tx *bbolt.Tx, e journal.Event) error {
	w, err := tx.Bucket(bucketWarehouses).CreateBucketIfNotExists(e.Warehouse[:])
	if err != nil {
		return err
	}
	b, err := w.CreateBucket(e.Incarnation[:])
	if errors.Is(err, berrors.ErrBucketExists) {
		return fmt.Errorf("%w: incarnation %s has started before", journal.ErrNotNext, e.Incarnation)
	}
	if err != nil {
		return err
	}
	for _, name := range [][]byte{bucketEvents, bucketDocuments, bucketIDs} {
		if _, err := b.CreateBucket(name); err != nil {
			return err
		}
	}
	meta, err := b.CreateBucket(bucketMeta)
	if err != nil {
		return err
	}
	return errors.Join(meta.Put(keyHead, headValue(e.Position)), w.Put(keyCurrent, e.Incarnation[:]))
}

func putDocument(b *bbolt.Bucket, seq journal.Seq, d journal.Document) error {
	rest := append(append(make([]byte, 0, 1+len(d.Data)), byte(d.Codec)), d.Data...)
	for chunk := 0; len(rest) > 0; chunk++ {
		n := min(len(rest), chunkSize)
		if err := b.Put(chunkKey(seq, d.Move, chunk), rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}
