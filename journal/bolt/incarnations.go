package bolt

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
)

// Incarnation implements journal.Journal.
func (j *Journal) Incarnation(warehouse, incarnation uuid.UUID) journal.Reader {
	return reader{j: j, warehouse: warehouse, incarnation: incarnation}
}

// Incarnations implements journal.Journal.
func (j *Journal) Incarnations(ctx context.Context, warehouse uuid.UUID) (all []journal.Incarnation, err error) {
	head, known, everything := j.durable.head(warehouse)
	if !known && !everything {
		return nil, ctx.Err()
	}
	err = j.view(ctx, func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketWarehouses).Bucket(warehouse[:])
		if b == nil {
			return nil
		}
		current := head.Incarnation[:]
		if everything {
			current = b.Get(keyCurrent)
		}
		return b.ForEachBucket(func(key []byte) error {
			id, err := uuid.FromBytes(key)
			if err != nil {
				return strangeName(key)
			}
			i, err := describe(tx, warehouse, id)
			switch i.Current = bytes.Equal(key, current); {
			case err != nil:
				return err
			case i.Current && !everything:
				i.Head = head
			case i.First > head.Seq && !everything:
				return nil // begun by an append whose outcome nobody knows
			}
			all = append(all, i)
			return nil
		})
	})
	slices.SortFunc(all, func(a, b journal.Incarnation) int { return cmp.Compare(a.First, b.First) })
	return all, err
}

// describe reads the ends of an incarnation that must be there.
func describe(tx *bbolt.Tx, warehouse, id uuid.UUID) (journal.Incarnation, error) {
	i := journal.Incarnation{ID: id}
	h, err := openHistory(tx, warehouse, id)
	if err != nil {
		return i, err
	}
	i.Head, i.First = h.head, h.first()
	s, err := h.get(i.First)
	if err != nil {
		return i, err
	}
	first, err := h.decode(s)
	if err != nil {
		return i, err
	}
	i.Parent, err = h.reading().Parent(first)
	return i, err
}
