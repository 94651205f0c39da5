package journal

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"
)

// memoryRequests is the keys that are bound in one incarnation. The Memory's lock
// guards it.
type memoryRequests struct {
	answers  map[Digest][]byte // encoded
	expiries []expiry          // of them, ascending
}

// expiry is when a key becomes free.
type expiry struct {
	until int64 // ms
	key   Digest
}

func (e expiry) compare(other expiry) int {
	return cmp.Or(cmp.Compare(e.until, other.until), bytes.Compare(e.key[:], other.key[:]))
}

// find decodes what is kept of a key, expired or not.
func (m *memoryRequests) find(key Digest) (Answer, bool, error) {
	data, ok := m.answers[key]
	if !ok {
		return Answer{}, false, nil
	}
	a, err := DecodeAnswer(data)
	return a, err == nil, err
}

// checkFree refuses a key that is bound now.
func (m *memoryRequests) checkFree(r Request, now time.Time) error {
	held, ok, err := m.find(r.Digest())
	if err == nil && ok && !held.Expired(now) {
		err = fmt.Errorf("%w: %s", ErrKeyTaken, r.Key)
	}
	return err
}

// bind keeps an answer whose key is free, and forgets a few that have expired.
func (m *memoryRequests) bind(r Request, answer []byte, now time.Time) {
	key := r.Digest()
	if held, ok, _ := m.find(key); ok {
		m.forget(expiry{held.Until.UnixMilli(), key})
	}
	for n := 0; n < MaxPruned && len(m.expiries) > 0 && m.expiries[0].until <= now.UnixMilli(); n++ {
		delete(m.answers, m.expiries[0].key)
		m.expiries = m.expiries[1:]
	}
	e := expiry{r.Until.UnixMilli(), key}
	at, _ := slices.BinarySearchFunc(m.expiries, e, expiry.compare)
	m.expiries = slices.Insert(m.expiries, at, e)
	m.answers[key] = bytes.Clone(answer)
}

func (m *memoryRequests) forget(e expiry) {
	if at, ok := slices.BinarySearchFunc(m.expiries, e, expiry.compare); ok {
		m.expiries = slices.Delete(m.expiries, at, at+1)
	}
	delete(m.answers, e.key)
}
