package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"puddle/journal"
)

// requests checks every answer, and that each is listed where it expires, and
// nothing else is.
func (a *audit) requests(ctx context.Context) error {
	if err := a.walk(ctx, bucketRequests, a.answer); err != nil {
		return err
	}
	return a.walk(ctx, bucketExpiries, a.expiry)
}

// walk calls look with what a bucket of the incarnation holds, some at a time.
func (a *audit) walk(ctx context.Context, bucket []byte, look func(h history, key, value []byte) error) error {
	var after []byte
	for more := true; more; {
		err := a.current(ctx, func(h history) error {
			more = false
			b := h.bucket.Bucket(bucket)
			if b == nil {
				return nil
			}
			return errors.Join(errStep(b, after, func(key, value []byte) error {
				after, more = bytes.Clone(key), true
				return look(h, key, value)
			}))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// errStep calls fn with up to batchEvents keys of a bucket, or batchBytes, that come
// after one.
func errStep(b *bbolt.Bucket, after []byte, fn func(key, value []byte) error) error {
	c := b.Cursor()
	key, value := c.Seek(after)
	if after != nil && bytes.Equal(key, after) {
		key, value = c.Next()
	}
	for n, size := 0, 0; key != nil && n < batchEvents && size < batchBytes; n++ {
		if err := fn(key, value); err != nil {
			return err
		}
		size += len(value)
		key, value = c.Next()
	}
	return nil
}

func (a *audit) answer(h history, key, value []byte) error {
	a.x.Seen.Requests++
	if len(key) != len(journal.Digest{}) {
		a.x.Flaw(0, true, "the key of a request has an odd length")
		return nil
	}
	answer, err := h.reading().Answer(journal.Digest(key), value)
	var damage *journal.Damage
	switch {
	case errors.As(err, &damage):
		a.x.Found(journal.Flaw{Damage: *damage, Beside: true})
		return nil
	case err != nil:
		return err
	}
	if expiries := h.bucket.Bucket(bucketExpiries); expiries == nil || expiries.Get(expiryKey(answer.Until, journal.Digest(key))) == nil {
		a.x.Flaw(0, true, "request %s is not listed where it expires", journal.Digest(key))
	}
	if answer.Seq > h.written {
		a.x.Flaw(answer.Seq, true, "request %s names an event that is not there", journal.Digest(key))
	}
	return nil
}

func (a *audit) expiry(h history, key, value []byte) error {
	if len(key) != 8+len(journal.Digest{}) || len(value) > 0 || h.requests == nil || h.requests.Get(key[8:]) == nil {
		a.x.Flaw(0, true, "%s", fmt.Sprintf("request %x expires, and is not there", key))
	}
	return nil
}
