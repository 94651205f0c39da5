package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
)

// Remember implements journal.Writer.
func (j *Journal) Remember(ctx context.Context, warehouse uuid.UUID, now time.Time, answers ...journal.Answer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	values, err := journal.EncodeAnswers(answers)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.openLocked(); err != nil {
		return err
	}
	binds := make([]binding, len(answers))
	for i, a := range answers {
		binds[i] = binding{warehouse, a.Digest()}
	}
	return j.writeLocked(write{
		fill: func(tx *bbolt.Tx) error {
			h, err := openCurrent(tx, warehouse)
			if err != nil {
				return err
			}
			for i, a := range answers {
				if err := h.bind(a.Request, values[i], now); err != nil {
					return err
				}
			}
			return nil
		},
		there: func(tx *bbolt.Tx) (bool, error) { return remembered(tx, binds, values) },
		binds: binds,
	})
}

// remembered looks answers up that one transaction stored, or did not.
func remembered(tx *bbolt.Tx, binds []binding, values [][]byte) (bool, error) {
	for i, b := range binds {
		h, err := openCurrent(tx, b.warehouse)
		if err != nil || h.requests == nil {
			return false, err
		}
		if !bytes.Equal(h.requests.Get(b.key[:]), journal.SealAnswer(b.key, values[i])) {
			return false, nil
		}
	}
	return true, nil
}

// Answered implements journal.Reader.
func (r reader) Answered(ctx context.Context, actor journal.Actor, key string, now time.Time) (journal.Answer, bool, error) {
	asked := journal.Request{Actor: actor, Key: key}
	if err := r.j.durable.check(binding{r.warehouse, asked.Digest()}); err != nil {
		return journal.Answer{}, false, err
	}
	var value []byte
	var h history
	err := r.current(ctx, func(open history) error {
		if h = open; h.requests != nil {
			digest := asked.Digest()
			value = bytes.Clone(h.requests.Get(digest[:]))
		}
		return nil
	})
	if errors.Is(err, journal.ErrNoWarehouse) || err == nil && value == nil {
		return journal.Answer{}, false, nil
	}
	if err != nil {
		return journal.Answer{}, false, err
	}
	a, err := h.reading().Answer(asked.Digest(), value)
	if err != nil || a.Expired(now) {
		return journal.Answer{}, false, err
	}
	return a, true, nil
}

func expiryKey(until time.Time, key journal.Digest) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(until.UnixMilli())), key[:]...)
}

// bind stores an answer under a key that must be free, and forgets a few that
// have expired.
func (h *history) bind(r journal.Request, answer []byte, now time.Time) error {
	if err := h.openRequests(); err != nil {
		return err
	}
	requests, expiries := h.requests, h.expiries
	key := r.Digest()
	if value := requests.Get(key[:]); value != nil {
		held, err := h.reading().Answer(key, value)
		if err != nil {
			return err
		}
		if !held.Expired(now) {
			return fmt.Errorf("%w: %s", journal.ErrKeyTaken, r.Key)
		}
		if err := expiries.Delete(expiryKey(held.Until, key)); err != nil {
			return err
		}
	}
	if err := prune(requests, expiries, now); err != nil {
		return err
	}
	return errors.Join(
		requests.Put(key[:], journal.SealAnswer(key, answer)),
		expiries.Put(expiryKey(r.Until, key), []byte{}))
}

// openRequests finds the buckets of requests, or makes them.
func (h *history) openRequests() (err error) {
	if h.expiries != nil {
		return nil
	}
	if h.requests, err = h.bucket.CreateBucketIfNotExists(bucketRequests); err != nil {
		return err
	}
	h.expiries, err = h.bucket.CreateBucketIfNotExists(bucketExpiries)
	return err
}

// prune forgets the first that have expired.
func prune(requests, expiries *bbolt.Bucket, now time.Time) error {
	var expired [][]byte
	c := expiries.Cursor()
	for key, _ := c.First(); len(key) > 8 && len(expired) < journal.MaxPruned; key, _ = c.Next() {
		if int64(binary.BigEndian.Uint64(key)) > now.UnixMilli() {
			break
		}
		expired = append(expired, bytes.Clone(key))
	}
	for _, key := range expired {
		if err := errors.Join(expiries.Delete(key), requests.Delete(key[8:])); err != nil {
			return err
		}
	}
	return nil
}
