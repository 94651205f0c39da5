package projections

import (
	"hash/maphash"
	"iter"
)

// tree is an ordered map that never changes: put and remove answer another tree
// that shares what stayed. A copy is one word, so a State can be tried on and
// thrown away, and readers need no lock. It is a treap whose ranks follow from
// the keys; all operations take logarithmic time. While it has an owner, put and remove
// change the nodes in place that were made for the same owner: only the last tree that
// they answered is of use then.
type tree[V any] struct {
	root  *node[V]
	owner owner
}

// owner is who alone can reach some nodes.
type owner uint32

const nobody owner = 0

type node[V any] struct {
	key         string
	rank        uint32
	owner       owner
	value       *V // never changed: copies of the node share it
	left, right *node[V]
}

// of is the node, or a copy of it, that may be changed for an owner.
func (n *node[V]) of(by owner) *node[V] {
	if by != nobody && n.owner == by {
		return n
	}
	own := *n
	own.owner = by
	return &own
}

var ranks = maphash.MakeSeed()

func (t tree[V]) get(key string) (value V, ok bool) {
	n := t.root
	for n != nil {
		switch {
		case key < n.key:
			n = n.left
		case key > n.key:
			n = n.right
		default:
			return *n.value, true
		}
	}
	return value, false
}

func (t tree[V]) put(key string, value V) tree[V] {
	fresh := &node[V]{key: key, rank: uint32(maphash.String(ranks, key)), owner: t.owner, value: &value}
	return tree[V]{put(t.root, fresh), t.owner}
}

func (t tree[V]) remove(key string) tree[V] { return tree[V]{remove(t.root, key, t.owner), t.owner} }

// from yields the entries at and after a key, ascending.
func (t tree[V]) from(key string) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) { ascend(t.root, key, yield) }
}

// differing yields the keys after one under which two trees may hold different
// values, ascending, with the values; nil where a tree has none. What the trees share
// is passed over.
func (t tree[V]) differing(other tree[V], after string, yield func(key string, mine, others *V) bool) {
	differing(t.root, other.root, after, yield)
}

func differing[V any](a, b *node[V], after string, yield func(string, *V, *V) bool) bool {
	if a == b {
		return true
	}
	top := a
	if a == nil || b != nil && b.rank > a.rank {
		top = b
	}
	key := top.key
	lessA, mine, greaterA := part(a, key)
	lessB, others, greaterB := part(b, key)
	if after < key && (!differing(lessA, lessB, after, yield) || !yield(key, mine, others)) {
		return false
	}
	return differing(greaterA, greaterB, after, yield)
}

// part is what a tree has before a key, under it and after it.
func part[V any](n *node[V], key string) (less *node[V], value *V, greater *node[V]) {
	switch {
	case n == nil:
		return nil, nil, nil
	case n.key == key:
		return n.left, n.value, n.right
	}
	less, greater = split(n, key, nobody)
	if v, ok := (tree[V]{root: greater}).get(key); ok {
		return less, &v, remove(greater, key, nobody)
	}
	return less, nil, greater
}

// size counts the entries, one by one.
func (t tree[V]) size() int { return t.root.size() }

func (n *node[V]) size() int {
	if n == nil {
		return 0
	}
	return n.left.size() + 1 + n.right.size()
}

// put owns fresh and makes it part of the answer. A key has one rank, so a node
// of the same key lies on the way down to where fresh outranks what is there.
func put[V any](n, fresh *node[V]) *node[V] {
	switch {
	case n == nil:
		return fresh
	case fresh.key == n.key:
		fresh.left, fresh.right = n.left, n.right
		return fresh
	case fresh.rank > n.rank:
		fresh.left, fresh.right = split(n, fresh.key, fresh.owner)
		return fresh
	}
	changed := n.of(fresh.owner)
	if fresh.key < n.key {
		changed.left = put(n.left, fresh)
	} else {
		changed.right = put(n.right, fresh)
	}
	return changed
}

func remove[V any](n *node[V], key string, by owner) *node[V] {
	if n == nil {
		return nil
	}
	if key == n.key {
		return merge(n.left, n.right, by)
	}
	changed := n.of(by)
	if key < n.key {
		changed.left = remove(n.left, key, by)
	} else {
		changed.right = remove(n.right, key, by)
	}
	return changed
}

func split[V any](n *node[V], key string, by owner) (less, greater *node[V]) {
	if n == nil {
		return nil, nil
	}
	changed := n.of(by)
	if n.key < key {
		changed.right, greater = split(n.right, key, by)
		return changed, greater
	}
	less, changed.left = split(n.left, key, by)
	return less, changed
}

func merge[V any](less, greater *node[V], by owner) *node[V] {
	switch {
	case less == nil:
		return greater
	case greater == nil:
		return less
	}
	if less.rank > greater.rank {
		changed := less.of(by)
		changed.right = merge(less.right, greater, by)
		return changed
	}
	changed := greater.of(by)
	changed.left = merge(less, greater.left, by)
	return changed
}

func ascend[V any](n *node[V], from string, yield func(string, V) bool) bool {
	if n == nil {
		return true
	}
	if from <= n.key {
		if !ascend(n.left, from, yield) || !yield(n.key, *n.value) {
			return false
		}
	}
	return ascend(n.right, from, yield)
}
