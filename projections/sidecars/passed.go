package sidecars

import (
	"context"
	"slices"
)

// extras are which event a file says it is the state after; false: it says none.
func (f Found) extras() (Extras, bool) {
	switch {
	case f.Object != nil:
		return f.Object.Extras, true
	case f.Namespace != nil:
		return f.Namespace.Extras, true
	}
	return Extras{}, false
}

// passed tells whether another follower has written a later state of an entry, by an
// event that the journal has: an older one is not to replace it. What somebody has
// listed as unconfirmed beside the same state is taken over.
func (w *work) passed(ctx context.Context, n *entry) (bool, error) {
	if !w.Others {
		return false, nil
	}
	found, there, err := find(ctx, w.Store, n.key)
	if err != nil || !there {
		return false, err
	}
	switch x, says := found.extras(); {
	case !says || x.Seq < n.seq:
		return false, nil
	case x.Seq > n.seq:
		return w.knows(ctx, n.key, x)
	case n.object != nil && found.Object != nil && x == n.object.Extras:
		n.object.Unconfirmed = together(found.Object.Unconfirmed, n.object.Unconfirmed)
	}
	return false, nil
}

// together are two lists of unconfirmed files as one, each file once.
func together(a, b []Unconfirmed) []Unconfirmed {
	all := slices.Clone(a)
	for _, u := range b {
		if !slices.ContainsFunc(a, func(o Unconfirmed) bool { return o.Location == u.Location }) {
			all = append(all, u)
		}
	}
	return newest(all, maxListed)
}
