package catalog

import (
	"context"
	"sync"

	"puddle/journal"
)

// flights are the files that are being read from a store at this moment, so that of
// many who need one that is not known one asks for it. Safe for concurrent use; the
// zero value is ready.
type flights struct {
	mu sync.Mutex
	of map[flightKey]*flight // guarded by mu
}

type flightKey struct {
	digest   journal.Digest
	location string
}

// flight is one file on its way. All but over is read when that is closed.
type flight struct {
	over     chan struct{}
	document *document
	err      error
	landed   bool // false: who asked has hung up, and nobody knows
}

// join asks by read, or waits for somebody who is asking already. When that one hangs
// up, another asks. The error is read's, or Unavailable when ctx has ended.
func (f *flights) join(ctx context.Context, key flightKey, read func() (*document, error)) (*document, error) {
	for {
		other := f.board(key)
		if other == nil {
			return f.fly(ctx, key, read)
		}
		select {
		case <-other.over:
			if other.landed {
				return other.document, other.err
			}
		case <-ctx.Done():
			return nil, unread(key.location, context.Cause(ctx))
		}
	}
}

// board answers who is asking already; nil: from now on the caller is.
func (f *flights) board(key flightKey) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if other := f.of[key]; other != nil {
		return other
	}
	if f.of == nil {
		f.of = map[flightKey]*flight{}
	}
	f.of[key] = &flight{over: make(chan struct{})}
	return nil
}

// fly asks, for all who wait.
func (f *flights) fly(ctx context.Context, key flightKey, read func() (*document, error)) (d *document, err error) {
	landed := false
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		mine := f.of[key]
		delete(f.of, key)
		mine.document, mine.err, mine.landed = d, err, landed
		close(mine.over)
	}()
	d, err = read()
	landed = err == nil || ctx.Err() == nil
	return d, err
}
