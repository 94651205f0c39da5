package bolt

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
)

// histories lists all incarnations of all warehouses.
func (j *Journal) histories(ctx context.Context) (all []journal.History, err error) {
	err = j.view(ctx, func(tx *bbolt.Tx) error {
		warehouses := tx.Bucket(bucketWarehouses)
		return warehouses.ForEachBucket(func(key []byte) error {
			warehouse, err := uuid.FromBytes(key)
			if err != nil {
				return strangeName(key)
			}
			current, err := openCurrent(tx, warehouse)
			if err != nil {
				return err
			}
			return warehouses.Bucket(key).ForEachBucket(func(key []byte) error {
				incarnation, err := uuid.FromBytes(key)
				if err != nil {
					return strangeName(key)
				}
				h, err := openHistory(tx, warehouse, incarnation)
				if err != nil {
					return err
				}
				about, err := h.about()
				about.Current = incarnation == current.incarnation
				all = append(all, about)
				return err
			})
		})
	})
	return all, err
}

func strangeName(key []byte) error {
	return &journal.Damage{Reason: fmt.Sprintf("a history is kept under %x, which is no id", key)}
}

// about reads the first event, and sums up the rest without decoding it.
func (h history) about() (journal.History, error) {
	about := journal.History{Warehouse: h.warehouse, Incarnation: h.incarnation, Head: h.head, Bytes: size(h.bucket)}
	first := h.first()
	s, err := h.get(first)
	if err != nil {
		return about, err
	}
	e, err := h.decode(s)
	if err != nil {
		return about, err
	}
	if b, ok := e.Body.(journal.IncarnationStarted); ok {
		about.Name = b.Name
	}
	about.Events = int64(h.head.Seq-first) + 1
	return about, nil
}

// size sums up the keys and values below a bucket.
func size(b *bbolt.Bucket) (n int64) {
	// What fn answers is nil, and so is ForEach's error.
	_ = b.ForEach(func(key, value []byte) error {
		if value == nil {
			n += size(b.Bucket(key))
		}
		n += int64(len(key) + len(value))
		return nil
	})
	return n
}
