package s3

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// errStalled ends a try that makes no progress.
var errStalled = errors.New("the object store does not answer")

// attempt is one try of a request, and the context of it.
type attempt struct {
	context.Context
	idle  time.Duration
	timer *time.Timer
}

// attempt makes one try when there is room for it.
func (s *Service) attempt(ctx context.Context, once func(attempt) error) error {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.slots }()
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a := attempt{Context: limited, idle: s.limits.Idle}
	a.timer = time.AfterFunc(a.idle, func() { cancel(errStalled) })
	defer a.timer.Stop()
	err := once(a)
	if err != nil && errors.Is(context.Cause(limited), errStalled) {
		return fmt.Errorf("%w: no byte for %v", errStalled, a.idle)
	}
	return err
}

// attemptKey finds the attempt that a context is of.
type attemptKey struct{}

// Value implements context.Context.
func (a attempt) Value(key any) any {
	if key == (attemptKey{}) {
		return a
	}
	return a.Context.Value(key)
}

// moved tells that there is progress.
func (a attempt) moved() { a.timer.Reset(a.idle) }
