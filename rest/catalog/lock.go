package catalog

import (
	"context"
	"slices"
)

// lock is that of one name. Whoever waits for it is served in the order of
// arrival. Guarded by locks.mu.
type lock struct {
	sharers int // who has a share; wholly when one has all of it
	queue   []*waiter
}

const wholly = -1

// waiter is a claim whose turn has not come.
type waiter struct {
	shared bool
	turn   chan struct{} // closed when it has come
}

// admits tells whether a claim can be met at once.
func (o *lock) admits(shared bool) bool {
	return o.sharers == 0 || shared && o.sharers > 0
}

func (o *lock) hold(shared bool) {
	if shared {
		o.sharers++
	} else {
		o.sharers = wholly
	}
}

// serve gives turns to all who can have one.
func (o *lock) serve() {
	for len(o.queue) > 0 && o.admits(o.queue[0].shared) {
		next := o.queue[0]
		o.queue = o.queue[1:]
		o.hold(next.shared)
		close(next.turn)
	}
}

// take meets a claim, or waits for its turn until the context ends: its cause
// then, and nothing is held.
func (l *locks) take(ctx context.Context, c claim) error {
	turn := l.join(c)
	if turn == nil {
		return nil
	}
	select {
	case <-turn.turn:
		return nil
	case <-ctx.Done():
		l.quit(c, turn)
		return context.Cause(ctx)
	}
}

// join takes a lock that is free, or gets in line for it.
func (l *locks) join(c claim) *waiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[string]*lock{}
	}
	one := l.held[c.key]
	if one == nil {
		one = &lock{}
		l.held[c.key] = one
	}
	if len(one.queue) == 0 && one.admits(c.shared) {
		one.hold(c.shared)
		return nil
	}
	w := &waiter{c.shared, make(chan struct{})}
	one.queue = append(one.queue, w)
	return w
}

// quit leaves the line, or gives back what was given in the last moment.
func (l *locks) quit(c claim, w *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.held[c.key]
	at := slices.Index(one.queue, w)
	if at < 0 {
		l.giveLocked(c)
		return
	}
	one.queue = slices.Delete(one.queue, at, at+1)
	one.serve() // those behind may have waited for this one alone
}

func (l *locks) give(c claim) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.giveLocked(c)
}

func (l *locks) giveLocked(c claim) {
	one := l.held[c.key]
	if c.shared {
		one.sharers--
	} else {
		one.sharers = 0
	}
	one.serve()
	if one.sharers == 0 {
		delete(l.held, c.key)
	}
}
