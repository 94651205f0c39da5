package bolt

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
)

// prove reads what a failed sync may have left out of a journal that nobody
// writes: every page that bbolt reaches and its list of free ones, the chain of
// every warehouse and the ids beside it, the stored answers, and the documents of
// the tail. What it finds is a *Damage. Documents before the tail are on pages
// that were synced long ago: what is wrong with them is no reason to stop.
func (j *Journal) prove() error {
	ctx := context.Background()
	for id := range j.durable.heads {
		if err := j.proveHistory(ctx, id); err != nil {
			return err
		}
	}
	return guard(func() error {
		return j.db.View(func(tx *bbolt.Tx) error {
			// First here, where a page that is not there is no crash.
			err := tx.ForEach(func(_ []byte, b *bbolt.Bucket) error { return touch(b) })
			if err != nil {
				return err
			}
			for failure := range tx.Check() {
				err = errors.Join(err, &journal.Damage{Reason: failure.Error()})
			}
			return err
		})
	})
}

// touch visits all that is in a bucket.
func touch(b *bbolt.Bucket) error {
	return b.ForEach(func(key, value []byte) error {
		if value != nil {
			return nil
		}
		return touch(b.Bucket(key))
	})
}

func (j *Journal) proveHistory(ctx context.Context, id uuid.UUID) error {
	r := reader{j: j, warehouse: id}
	var tail journal.Seq
	err := r.current(ctx, func(h history) (err error) {
		if err = h.proveAnswers(); err == nil {
			tail, err = h.beforeTail()
		}
		return err
	})
	if err != nil {
		return err
	}
	for e, err := range r.Scan(ctx, 0) {
		if err != nil {
			return err
		}
		if err := r.proveID(ctx, e); err != nil {
			return err
		}
		if e.Seq > tail {
			if err := r.proveDocuments(ctx, e, tail); err != nil {
				return err
			}
		}
	}
	return nil
}

// proveID makes sure that an event is found by its id.
func (r reader) proveID(ctx context.Context, e journal.Event) error {
	return r.current(ctx, func(h history) error {
		if seqOf(h.ids.Get(e.ID[:])) != e.Seq {
			return h.damage(e.Seq, fmt.Errorf("the id %s does not lead to it", e.ID))
		}
		return nil
	})
}

// proveDocuments reads the documents of an event behind the tail's beginning. What
// they are built on before it is not theirs to prove.
func (r reader) proveDocuments(ctx context.Context, e journal.Event, tail journal.Seq) error {
	for move := range e.Moves() {
		_, err := r.Document(ctx, e.Seq, move)
		if damage, ok := errors.AsType[*journal.Damage](err); ok && damage.Base != 0 && damage.Base <= tail {
			continue
		}
		if err != nil && !journal.NotKept(err) {
			return err
		}
	}
	return nil
}

func (h history) proveAnswers() error {
	if h.requests == nil {
		return nil
	}
	return h.requests.ForEach(func(key, value []byte) error {
		if len(key) != len(journal.Digest{}) {
			return h.damage(0, errors.New("a request has no digest"))
		}
		_, err := h.reading().Answer(journal.Digest(key), value)
		return err
	})
}
