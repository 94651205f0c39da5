package catalog

import (
	"slices"
	"sync"
)

// locks holds one mutex for each name in use, so that commands on one name wait
// for each other instead of losing races, and others do not wait at all. It is
// an economy, not a safety: the recorder decides. The zero value is ready.
type locks struct {
	mu   sync.Mutex
	held map[string]*lock
}

type lock struct {
	sync.Mutex
	users int // guarded by locks.mu
}

// acquire locks all keys, in sorted order, and answers what gives them back.
func (l *locks) acquire(keys ...string) (release func()) {
	slices.Sort(keys)
	keys = slices.Compact(keys)
	taken := make([]*lock, len(keys))
	for i, key := range keys {
		taken[i] = l.enter(key)
		taken[i].Lock()
	}
	return func() {
		for i, key := range keys {
			taken[i].Unlock()
			l.leave(key, taken[i])
		}
	}
}

func (l *locks) enter(key string) *lock {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[string]*lock{}
	}
	one, ok := l.held[key]
	if !ok {
		one = &lock{}
		l.held[key] = one
	}
	one.users++
	return one
}

func (l *locks) leave(key string, one *lock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(l.held, key)
	}
}
