package catalog

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// sweeps are what goes on behind the answers of commits: outdated files are removed
// from stores where that takes a request. Safe for concurrent use.
type sweeps struct {
	mu      sync.Mutex
	running map[chan struct{}]swept // guarded by mu; each is closed when its sweep is over
	closed  bool                    // guarded by mu
	ctx     context.Context
	end     context.CancelFunc
}

// swept is what a sweep removes files of.
type swept struct {
	table  uuid.UUID
	places []journal.Place
}

func newSweeps() *sweeps {
	s := &sweeps{running: map[chan struct{}]swept{}}
	s.ctx, s.end = context.WithCancel(context.Background())
	return s
}

// begin has something done to what is swept, for a limited time, unless so many things are being done
// already, or none may be any more.
func (s *sweeps) begin(of swept, limit time.Duration, do func(context.Context)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.running) == parallel {
		return false
	}
	over := make(chan struct{})
	s.running[over] = of
	go func() {
		defer s.ended(over)
		ctx, cancel := context.WithTimeout(s.ctx, limit)
		defer cancel()
		do(ctx)
	}()
	return true
}

func (s *sweeps) ended(over chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, over)
	close(over)
}

// wait waits for those that have begun, of what concerns the caller. The error is the cause
// that ended ctx.
func (s *sweeps) wait(ctx context.Context, concerns func(swept) bool) error {
	for _, over := range s.begun(concerns) {
		select {
		case <-over:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (s *sweeps) begun(concerns func(swept) bool) (all []chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for over, of := range s.running {
		if concerns(of) {
			all = append(all, over)
		}
	}
	return all
}

// awaitSweeps waits for old files that are being removed, of a table or where a file is:
// whoever makes a file current that was there before looks for it afterwards. Unavailable.
func (c *Catalog) awaitSweeps(ctx context.Context, table uuid.UUID, at string) error {
	concerns := func(of swept) bool { return of.table == table || liesBelow(of.places, at) }
	if err := c.sweeps.wait(ctx, concerns); err != nil {
		return because(Unavailable, err, "The change was not made: old metadata files were being removed all the time")
	}
	return nil
}

// Close ends what goes on behind the answers of commits, and waits for it. What was not
// removed by then stays. Changes that are asked for later are made all the same.
func (c *Catalog) Close() {
	c.sweeps.mu.Lock()
	c.sweeps.closed = true
	c.sweeps.mu.Unlock()
	c.sweeps.end()
	_ = c.sweeps.wait(context.Background(), func(swept) bool { return true })
}
