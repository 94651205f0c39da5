package rest

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"puddle/journal"
)

// bound is an idempotency key of one actor in one warehouse.
type bound struct {
	warehouse uuid.UUID
	key       journal.Digest
}

// inFlight is the keys whose requests are being answered. Safe for concurrent
// use; the zero value holds none.
type inFlight struct {
	mu   sync.Mutex
	busy map[bound]chan struct{} // guarded by mu; closed when the request is answered
}

// enter waits until nobody else is answering the key's request, or until the
// context ends.
func (f *inFlight) enter(ctx context.Context, b bound) (leave func(), err error) {
	for {
		before, mine := f.claim(b)
		if before == nil {
			return func() { f.free(b, mine) }, nil
		}
		select {
		case <-before:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// claim takes the key, or answers what tells when it is free.
func (f *inFlight) claim(b bound) (before, mine chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if before := f.busy[b]; before != nil {
		return before, nil
	}
	if f.busy == nil {
		f.busy = map[bound]chan struct{}{}
	}
	mine = make(chan struct{})
	f.busy[b] = mine
	return nil, mine
}

func (f *inFlight) free(b bound, mine chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.busy, b)
	close(mine)
}
