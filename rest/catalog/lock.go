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
	news   chan struct{} // holds one when there are some
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
// then, and nothing is held. Who has to wait asks in line, and again with all news
// of the name, what it is to be refused for: that is the error then, and nothing is
// held either.
func (l *locks) take(ctx context.Context, c claim, refused func() error) error {
	w := l.join(c)
	if w == nil {
		return nil
	}
	for {
		if err := refused(); err != nil {
			l.quit(c, w)
			return err
		}
		select {
		case <-w.turn:
			return nil
		case <-w.news:
		case <-ctx.Done():
			l.quit(c, w)
			return context.Cause(ctx)
		}
	}
}

// tell lets all who wait for a name that is held know that there are news of it.
func (l *locks) tell(c claim) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.held[c.key].queue {
		select {
		case w.news <- struct{}{}:
		default: // it has not heard the last ones yet
		}
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
	w := &waiter{c.shared, make(chan struct{}), make(chan struct{}, 1)}
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
