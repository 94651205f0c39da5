package s3

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// tries are what is left of how often one call may ask. Those of a put that finds an object
// and looks at whose it is are of the one call. For one goroutine.
type tries struct {
	service   *Service
	made      int
	refreshed bool
	unsure    bool // one of them may have had its effect although it failed
}

func (s *Service) tries() *tries { return &tries{service: s} }

// do asks until it succeeds, fails for good, or has been asked often enough. Between tries
// it waits, for no longer than ctx.
func (t *tries) do(ctx context.Context, once func(attempt) error) error {
	for {
		err := t.service.attempt(ctx, once)
		if err == nil {
			return nil
		}
		t.unsure = t.unsure || !refused(err)
		stale := expired(err) && !t.refreshed
		if !stale && !passing(err) || !t.again() {
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
		if err := t.pause(ctx); err != nil {
			return err
		}
	}
}

// again counts a try, and tells whether another one may follow.
func (t *tries) again() bool {
	t.made++
	return t.made < t.service.limits.Tries
}

// pause waits before the next try: longer each time, and some of it at random, so that
// those who failed together do not come back together.
func (t *tries) pause(ctx context.Context) error {
	const most = 20 // of the first pause
	longest := t.service.limits.Pause * time.Duration(min(most, 1<<min(t.made-1, 16)))
	timer := time.NewTimer(longest/2 + rand.N(longest/2+1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
