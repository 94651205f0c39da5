package s3

import (
	"context"
	"errors"
	"fmt"
	"time"

	"puddle/internal/warehouse"
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
func (s *Service) attempt(ctx context.Context, idle time.Duration, once func(attempt) error) error {
	if warehouse.Background(ctx) { // before the other, so that it holds no room while it waits
		if err := s.background.take(ctx); err != nil {
			return err
		}
		defer s.background.leave()
	}
	if err := s.slots.take(ctx); err != nil {
		return err
	}
	defer s.slots.leave()
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a := attempt{Context: limited, idle: idle}
	a.timer = time.AfterFunc(a.idle, func() { cancel(errStalled) })
	defer a.timer.Stop()
	err := once(a)
	if err != nil && errors.Is(context.Cause(limited), errStalled) {
		return fmt.Errorf("%w: no byte for %v", errStalled, a.idle)
	}
	return err
}

// slots are room for so many.
type slots chan struct{}

func (s slots) take(ctx context.Context) error {
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s slots) leave() { <-s }

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
