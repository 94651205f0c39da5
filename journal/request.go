package journal

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of requests and answers, checked before anything is written.
const (
	MinKeyBytes    = 36 // a UUID as text
	MaxKeyBytes    = 256
	MaxRouteBytes  = 32 << 10
	MaxAnswerBytes = 1 << 20 // the body of an answer
)

// MaxPruned is how many expired requests are forgotten at most for each one that
// is stored: more than one, so that they become fewer, and few, so that an
// append stays short.
const MaxPruned = 8

var (
	// ErrRequest refuses a request or answer that no journal may keep. Nothing
	// was written.
	ErrRequest = errors.New("invalid idempotency request")
	// ErrKeyTaken: the actor's key is bound to a request already, which was left
	// as it is. Nothing was written.
	ErrKeyTaken = errors.New("idempotency key is taken")
)

// Request binds an idempotency key to one request until a moment: by whom, which
// route, which body. Another request with the key is then not the same one sent
// again, and two of them never both take effect.
type Request struct {
	Actor Actor
	Key   string
	Route string    // method and path, as the caller tells requests apart
	Body  Digest    // SHA-256 of the inflated request body
	Until time.Time // in milliseconds; from then on the key is free
}

// Answer is what became of a request: the event it made, or the answer that made
// none.
type Answer struct {
	Request
	Seq    Seq // of the event; then Status and Body are unset
	Status int // of HTTP
	Body   []byte
}

// Digest is what a request is kept under: SHA-256 of the actor, a zero byte and
// the key, so that one actor's keys never meet another's.
func (r Request) Digest() Digest { return Sum([]byte(string(r.Actor) + "\x00" + r.Key)) }

// Expired tells whether the key is free again.
func (r Request) Expired(now time.Time) bool {
	return now.UnixMilli() >= r.Until.UnixMilli()
}

// Check refuses what cannot be kept: keys of other lengths than 36 to 256 bytes,
// text that is not UTF-8, missing parts. The error wraps ErrRequest.
func (r Request) Check() error {
	switch {
	case r.Actor == "" || r.Route == "" || r.Until.UnixMilli() <= 0:
		return fmt.Errorf("%w: it needs an actor, a route and an end", ErrRequest)
	case strings.Contains(string(r.Actor), "\x00"):
		return fmt.Errorf("%w: the actor holds a zero byte", ErrRequest)
	case len(r.Key) < MinKeyBytes || len(r.Key) > MaxKeyBytes:
		return fmt.Errorf("%w: the key is %d bytes long, not from %d to %d", ErrRequest, len(r.Key), MinKeyBytes, MaxKeyBytes)
	case len(r.Route) > MaxRouteBytes:
		return fmt.Errorf("%w: the route is %d bytes long, the limit is %d", ErrRequest, len(r.Route), MaxRouteBytes)
	case !utf8.ValidString(string(r.Actor)) || !utf8.ValidString(r.Key) || !utf8.ValidString(r.Route):
		return fmt.Errorf("%w: it is not valid UTF-8", ErrRequest)
	}
	return nil
}

// Check refuses what cannot be kept: an answer that is not of one sort, ErrRequest,
// or too large, ErrTooLarge.
func (a Answer) Check() error {
	switch {
	case a.Seq != 0 && (a.Status != 0 || len(a.Body) > 0):
		return fmt.Errorf("%w: the answer has an event and a body", ErrRequest)
	case a.Seq == 0 && (a.Status < 100 || a.Status > 599):
		return fmt.Errorf("%w: the answer has the status %d", ErrRequest, a.Status)
	case len(a.Body) > MaxAnswerBytes:
		return fmt.Errorf("%w: an answer of %d bytes, the limit is %d", ErrTooLarge, len(a.Body), MaxAnswerBytes)
	}
	return a.Request.Check()
}

// CheckAnswers checks what is remembered together: each answer, that none has an
// event, that no two have the same key, and the limits of a group.
func CheckAnswers(answers []Answer) error {
	if len(answers) > MaxGroupEntries {
		return fmt.Errorf("%w: %d answers together, the limit is %d", ErrTooLarge, len(answers), MaxGroupEntries)
	}
	size := 0
	seen := make(map[Digest]bool, len(answers))
	for _, a := range answers {
		if err := a.Check(); err != nil {
			return err
		}
		if a.Seq != 0 {
			return fmt.Errorf("%w: event %d binds its key itself", ErrRequest, a.Seq)
		}
		if seen[a.Digest()] {
			return fmt.Errorf("%w: twice in a group", ErrKeyTaken)
		}
		seen[a.Digest()] = true
		size += a.Size()
	}
	if size > MaxGroupBytes {
		return fmt.Errorf("%w: answers of %d bytes together, the limit is %d", ErrTooLarge, size, MaxGroupBytes)
	}
	return nil
}

// Size is about how many bytes the answer adds to a journal.
func (a Answer) Size() int { return len(a.Actor) + len(a.Key) + len(a.Route) + len(a.Body) }
