package bolt

import (
	"context"
	"errors"
	"fmt"
	"maps"

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
	moved, err := j.heads.Follow(entries...)
	if err != nil {
		return err
	}
	err = j.writeLocked(func(tx *bbolt.Tx) error {
		for i, e := range entries {
			if err := put(tx, e, values[i], answers[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	maps.Copy(j.heads, moved)
	return nil
}

// openLocked tells why nothing is written any more.
func (j *Journal) openLocked() error {
	if j.failed != nil {
		return fmt.Errorf("%w: %s: %v", journal.ErrClosed, j.path, j.failed)
	}
	return nil
}

// writeLocked makes what fill puts durable in one transaction.
func (j *Journal) writeLocked(fill func(*bbolt.Tx) error) error {
	if err := j.inPlace(); err != nil {
		return err
	}
	tx, err := j.db.Begin(true)
	if err != nil {
		return closed(err)
	}
	defer guard(tx.Rollback)
	id := tx.ID()
	err = guard(func() error { return fill(tx) })
	if err != nil {
		return err // all of it was in memory: a crash or refusal up to here leaves nothing
	}
	if err := guard(tx.Commit); err != nil {
		if j.unseen(id, err) {
			return fmt.Errorf("append to %s: %w", j.path, err) // a full disk, say: nothing is there, and the next may fit
		}
		// The page that makes the group visible may be on its way to the disk.
		j.failed = fmt.Errorf("the outcome of an earlier append is unknown: %w", err)
		return fmt.Errorf("%w: %s: %w", journal.ErrUnknownOutcome, j.path, err)
	}
	return nil // synced
}

func put(tx *bbolt.Tx, e journal.Entry, value, answer []byte) error {
	at := e.Event.Position
	if e.Event.Kind() == journal.KindIncarnationStarted {
		if err := start(tx, e.Event); err != nil {
			return err
		}
	}
	h, err := openHistory(tx, e.Event.Warehouse, at.Incarnation)
	if err != nil {
		return err
	}
	// Keys only ascend: full pages are never split, so they may be filled.
	h.events.FillPercent, h.documents.FillPercent, h.ids.FillPercent = 1, 1, 1
	if taken := h.ids.Get(e.Event.ID[:]); taken != nil {
		return fmt.Errorf("%w: the id %s is taken", journal.ErrNotNext, e.Event.ID)
	}
	if err := h.events.Put(seqKey(at.Seq), value); err != nil {
		return err
	}
	if err := h.ids.Put(e.Event.ID[:], seqKey(at.Seq)); err != nil {
		return err
	}
	for _, d := range e.Documents {
		if err := putDocument(h.documents, at.Seq, d); err != nil {
			return err
		}
	}
	if e.Request != nil {
		if err := h.bind(*e.Request, answer, e.Event.At); err != nil {
			return err
		}
	}
	return h.meta.Put(keyHead, headValue(at))
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
	rest := append([]byte{byte(d.Codec)}, d.Data...)
	for chunk := 0; len(rest) > 0; chunk++ {
		n := min(len(rest), chunkSize)
		if err := b.Put(chunkKey(seq, d.Move, chunk), rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}
