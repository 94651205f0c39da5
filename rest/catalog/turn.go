package catalog

import (
	"context"
	"sync"
)

// turns let one request at a time have large metadata files in memory, while it reads
// and parses them: many at once, or gzipped ones that inflate to much, would take all
// there is. Small files wait for nobody.
type turns chan struct{}

func newTurns() turns { return make(turns, 1) }

// turn is a request's. Safe for concurrent use.
type turn struct {
	of   turns
	mu   sync.Mutex
	held bool // guarded by mu
}

type turnKey struct{}

// inTurn gives a request its turn, which it takes with the first large file and leaves
// at the end; within another's it is that. Nobody takes one while he occupies places:
// who has one may have to wait for those.
func (c *Catalog) inTurn(ctx context.Context) (in context.Context, leave func()) {
	if ctx.Value(turnKey{}) != nil {
		return ctx, func() {}
	}
	t := &turn{of: c.turns}
	return context.WithValue(ctx, turnKey{}, t), t.leave
}

// takeTurn waits until the turn of ctx has come, for a large file. Unavailable when ctx
// ends before.
func takeTurn(ctx context.Context, at string) error {
	t := ctx.Value(turnKey{}).(*turn)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held {
		return nil
	}
	select {
	case t.of <- struct{}{}:
		t.held = true
		return nil
	case <-ctx.Done():
		return because(Unavailable, context.Cause(ctx), "The metadata file %s is large, and other large ones were being read all the time", at)
	}
}

// hasTurn tells whether a request has its turn.
func hasTurn(ctx context.Context) bool {
	t, ok := ctx.Value(turnKey{}).(*turn)
	if !ok {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.held
}

func (t *turn) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held {
		t.held = false
		<-t.of
	}
}
