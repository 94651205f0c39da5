package recordertest

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
)

// Key is one of the idempotency keys of the tests.
func Key(n int) string { return fmt.Sprintf("019ca9a4-0c00-7abc-8def-%012d", n) }

// BoundKey is what a key is unique in, for the one actor of the tests.
type BoundKey struct {
	Warehouse uuid.UUID
	Key       string
}

// Asked is a request that is bound for long.
func Asked(key string) journal.Request {
	return journal.Request{
		Actor: journal.Anonymous, Key: key, Route: "POST /v1/tables", Body: journal.Sum([]byte(key)),
		Until: time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC),
	}
}

// Keyed is a draft with an idempotency key.
func Keyed(d journal.Draft, key string) journal.Draft {
	r := Asked(key)
	d.Cause.Actor, d.Cause.Key, d.Request = r.Actor, key, &r
	return d
}

// Conflicted is an answer that made no event.
func Conflicted(key string) journal.Answer {
	return journal.Answer{Request: Asked(key), Status: 409, Body: []byte("conflict")}
}

// remember remembers what became of a request: every time something else.
func (c *Client) remember(a Action) {
	if a.Key == "" {
		a.Key = Key(4)
	}
	k, answer := BoundKey{a.Warehouse, a.Key}, Conflicted(a.Key)
	answer.Body = []byte(uuid.NewString())
	c.Told.TriesKey(k)
	c.Told.HearsKey(k, answer, c.Remember(ctx, a.Warehouse, answer))
}

// keys is what clients heard of idempotency keys.
type keys struct {
	bound map[BoundKey]journal.Answer // as was acknowledged
	taken map[BoundKey]bool           // somebody was told so
	tried map[BoundKey]int            // and never heard what became of it
}

func newKeys() keys {
	return keys{map[BoundKey]journal.Answer{}, map[BoundKey]bool{}, map[BoundKey]int{}}
}

// TriesKey implements Watcher.
func (o *Outcomes) TriesKey(k BoundKey) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keys.tried[k]++
}

// HearsKey implements Watcher.
func (o *Outcomes) HearsKey(k BoundKey, a journal.Answer, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if errors.Is(err, journal.ErrUnknownOutcome) {
		return
	}
	o.keys.tried[k]--
	held, bound := o.keys.bound[k]
	switch {
	case errors.Is(err, journal.ErrKeyTaken):
		o.keys.taken[k] = true
	case err == nil && bound && !reflect.DeepEqual(held, a):
		o.broken = append(o.broken, fmt.Sprintf("%v is bound to %+v and to %+v", k, held, a))
	case err == nil:
		o.keys.bound[k] = a
	}
}

// CheckKeys compares what was heard with what the journal keeps.
func (o *Outcomes) CheckKeys(tb rapid.TB, j journal.Journal) {
	tb.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	for k, tried := range o.keys.tried {
		r := Asked(k.Key)
		got, ok, err := j.Warehouse(k.Warehouse).Answered(ctx, r.Actor, r.Key, time.Now())
		want, bound := o.keys.bound[k]
		switch {
		case err != nil:
			tb.Fatalf("%v: %v", k, err)
		case bound && !reflect.DeepEqual(got, want):
			tb.Fatalf("%v was bound to %+v, the journal has %+v", k, want, got)
		case tried == 0 && ok != bound:
			tb.Fatalf("%v is bound to %+v: nobody was told", k, got)
		case tried == 0 && o.keys.taken[k] && !ok:
			tb.Fatalf("%v was taken, and is free", k)
		}
	}
}
