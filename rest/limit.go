package rest

import (
	"context"
	"sync"
	"time"
)

// limit is a context that ends with its parent, and after some time. The timer is
// set only when somebody waits for it: most requests are answered from memory, and
// for these it would cost as much as the answer.
type limit struct {
	context.Context // the parent
	at              time.Time

	mu     sync.Mutex
	timed  context.Context    // guarded by mu; nil until somebody waits
	cancel context.CancelFunc // guarded by mu; of timed
	over   bool               // guarded by mu: end was called
}

// within limits a context. Whoever calls it calls end when nobody is to go on.
func within(parent context.Context, d time.Duration) *limit {
	return &limit{Context: parent, at: time.Now().Add(d)}
}

// end cancels the context.
func (l *limit) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over = true; l.timed != nil {
		l.cancel()
	}
}

// Deadline implements context.Context.
func (l *limit) Deadline() (time.Time, bool) {
	if earlier, ok := l.Context.Deadline(); ok && earlier.Before(l.at) {
		return earlier, true
	}
	return l.at, true
}

// Done implements context.Context.
func (l *limit) Done() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timed == nil {
		l.timed, l.cancel = context.WithDeadline(l.Context, l.at)
		if l.over {
			l.cancel()
		}
	}
	return l.timed.Done()
}

// Err implements context.Context.
func (l *limit) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.timed != nil:
		return l.timed.Err()
	case l.Context.Err() != nil:
		return l.Context.Err()
	case l.over:
		return context.Canceled
	case !time.Now().Before(l.at):
		return context.DeadlineExceeded
	}
	return nil
}

// Value implements context.Context: once there is a timer, other contexts of the
// standard library find it by a value.
func (l *limit) Value(key any) any {
	l.mu.Lock()
	timed := l.timed
	l.mu.Unlock()
	if timed != nil {
		return timed.Value(key)
	}
	return l.Context.Value(key)
}
