package catalog

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"puddle/journal"
)

// locks holds one lock for each name in use, so that commands on one name wait
// for each other instead of losing races, and others do not wait at all. It is
// an economy, not a safety: the recorder decides. The zero value is ready.
type locks struct {
	mu   sync.Mutex
	held map[string]*lock // guarded by mu
}

// claim is a name that a command is about: of an object or of a namespace, which
// commands on new names in it share.
type claim struct {
	key    string
	shared bool
}

// String is the name, for people.
func (c claim) String() string {
	return journal.NamespaceOfKey(strings.TrimSuffix(c.key, "\x1f")).String()
}

// named claims the name of a table or view that is there. What becomes of its
// namespace meanwhile does not matter: it is not empty.
func named(id journal.Identifier) claim { return claim{key: id.Key()} }

// naming claims a name for a table or view, and a share of its namespace.
func naming(id journal.Identifier) []claim {
	return []claim{inNamespace(id.Namespace), named(id)}
}

// wholeNamespace claims a namespace, and a share of its parent.
func wholeNamespace(n journal.Namespace) []claim {
	whole := inNamespace(n)
	whole.shared = false
	return []claim{inNamespace(n.Parent()), whole}
}

// inNamespace is a share of a namespace. Its key is that of no object: no level
// is empty.
func inNamespace(n journal.Namespace) claim {
	return claim{key: n.Key() + "\x1f", shared: true}
}

// lock takes all claims, in the order of their keys, so that no two commands wait
// for each other, and answers what gives them back. It waits for as long as the
// request may: Unavailable, and nothing is held.
func (c *Catalog) lock(ctx context.Context, claims ...claim) (release func(), err error) {
	return c.lockUnless(ctx, func() error { return nil }, claims...)
}

// lockUnless is lock for commands that may be refused without waiting: whenever it
// has to wait, it asks for that first.
func (c *Catalog) lockUnless(ctx context.Context, refused func() error, claims ...claim) (release func(), err error) {
	slices.SortFunc(claims, compareClaims)
	claims = slices.CompactFunc(claims, func(a, b claim) bool { return a.key == b.key })
	for i, one := range claims {
		err := c.names.take(ctx, one, refused)
		if err == nil {
			continue
		}
		c.unlock(claims[:i])
		if answer := (*Error)(nil); errors.As(err, &answer) {
			return nil, answer
		}
		return nil, because(Unavailable, err, "The change was not made: %s was being changed by others all the time", one)
	}
	return func() { c.unlock(claims) }, nil
}

func (c *Catalog) unlock(claims []claim) {
	for _, one := range claims {
		c.names.give(one)
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
