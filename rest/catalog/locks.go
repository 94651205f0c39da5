package catalog

import (
	"cmp"
	"slices"
	"sync"

	"puddle/journal"
)

// locks holds one lock for each name in use, so that commands on one name wait
// for each other instead of losing races, and others do not wait at all. It is
// an economy, not a safety: the recorder decides. The zero value is ready.
type locks struct {
	mu   sync.Mutex
	held map[string]*lock
}

type lock struct {
	sync.RWMutex
	users int // guarded by locks.mu
}

// claim is a name that a command is about: of an object or of a namespace, which
// commands on the objects in it share.
type claim struct {
	key    string
	shared bool
}

// lockObjects claims names of tables or views, and a share of their namespaces.
func (c *Catalog) lockObjects(ids ...journal.Identifier) (release func()) {
	claims := make([]claim, 0, 2*len(ids))
	for _, id := range ids {
		claims = append(claims, inNamespace(id.Namespace), claim{key: id.Key()})
	}
	return c.names.acquire(claims...)
}

// lockNamespace claims a namespace, and a share of its parent.
func (c *Catalog) lockNamespace(n journal.Namespace) (release func()) {
	whole := inNamespace(n)
	whole.shared = false
	return c.names.acquire(inNamespace(n.Parent()), whole)
}

// inNamespace is a share of a namespace. Its key is that of no object: no level
// is empty.
func inNamespace(n journal.Namespace) claim {
	return claim{key: n.Key() + "\x1f", shared: true}
}

// acquire takes all claims, in the order of their keys, so that no two commands
// wait for each other, and answers what gives them back.
func (l *locks) acquire(claims ...claim) (release func()) {
	slices.SortFunc(claims, compareClaims)
	claims = slices.CompactFunc(claims, func(a, b claim) bool { return a.key == b.key })
	taken := make([]*lock, len(claims))
	for i, want := range claims {
		taken[i] = l.enter(want.key)
		if want.shared {
			taken[i].RLock()
		} else {
			taken[i].Lock()
		}
	}
	return func() {
		for i, had := range claims {
			if had.shared {
				taken[i].RUnlock()
			} else {
				taken[i].Unlock()
			}
			l.leave(had.key, taken[i])
		}
	}
}

// compareClaims puts the whole of a name before a share of it, which it includes.
func compareClaims(a, b claim) int {
	switch order := cmp.Compare(a.key, b.key); {
	case order != 0 || a.shared == b.shared:
		return order
	case a.shared:
		return 1
	}
	return -1
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
