package s3

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// tries are what is left of how often one call may ask. Those of a put that finds an object
// and looks at whose it is are of the one call. For one goroutine.
type tries struct {
	service   *Service
	idle      time.Duration // of each
	made      int
	refreshed bool
	unsure    bool // one of them may have had its effect although it failed
}

func (s *Service) tries() *tries { return &tries{service: s, idle: s.limits.Idle} }

// longTries are those of what an object store may be at for a while before its first byte.
func (s *Service) longTries() *tries { return &tries{service: s, idle: s.limits.LongIdle} }

// do asks until it succeeds, fails for good, or has been asked often enough, and once in any
// case. Between tries it waits, for no longer than ctx.
func (t *tries) do(ctx context.Context, once func(attempt) error) error {
	for {
		t.made++
		err := t.service.attempt(ctx, t.idle, once)
		if err == nil {
			return nil
		}
		t.unsure = t.unsure || !refused(err)
		stale := expired(err) && !t.refreshed
		if !stale && !passing(err) || t.over() {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		}
		if stale {
			t.refreshed = true
			t.service.credentials.refresh()
			continue
		}
		if err := t.pause(ctx, retryAfter(err)); err != nil {
			return err
		}
	}
}

// over tells whether no other try may follow.
func (t *tries) over() bool { return t.made >= t.service.limits.Tries }

// pause waits before the next try: longer each time, and some of it at random, so that
// those who failed together do not come back together. It is no shorter than the object
// store has asked for.
func (t *tries) pause(ctx context.Context, asked time.Duration) error {
	const most = 20 // of the first pause
	longest := t.service.limits.Pause * time.Duration(min(most, 1<<min(t.made-1, 16)))
	timer := time.NewTimer(max(asked, longest/2+rand.N(longest/2+1)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// longestAsked is how long a pause is at most because an answer asks for it: somebody waits.
const longestAsked = 5 * time.Second

// retryAfter is the pause that an answer asks for, in seconds or until a date (RFC 9110,
// 10.2.3); 0: it does not. A date is held against that of the answer: clocks differ.
func retryAfter(err error) time.Duration {
	answer, ok := errors.AsType[*awshttp.ResponseError](err)
	if !ok || answer.Response == nil || answer.Response.Response == nil {
		return 0
	}
	asked := answer.Response.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(asked, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, longestAsked)
	}
	until, err := http.ParseTime(asked)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(answer.Response.Header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(until.Sub(now), 0), longestAsked)
}
