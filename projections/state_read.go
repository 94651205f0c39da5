package projections

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"puddle/journal"
)

// Namespace finds one; the properties are the caller's own.
func (s *State) Namespace(ctx context.Context, name journal.Namespace) (Namespace, error) {
	h := s.now()
	n, ok := h.namespace(name)
	if !ok {
		return Namespace{}, ErrNoNamespace
	}
	n.Properties = maps.Clone(n.Properties)
	return n, ctx.Err()
}

// Children lists the names of a namespace's children.
func (s *State) Children(ctx context.Context, parent journal.Namespace, page Page) ([]string, error) {
	h := s.now()
	if _, ok := h.namespace(parent); !ok && !parent.IsRoot() {
		return nil, ErrNoNamespace
	}
	return list(h.children, below(parent), page), ctx.Err()
}

// Object finds a live object by name.
func (s *State) Object(ctx context.Context, id journal.Identifier) (Object, error) {
	h := s.now()
	o, ok := h.named(id)
	if !ok {
		return Object{}, ErrNoObject
	}
	return o, ctx.Err()
}

// Objects lists the names of a namespace's live objects of a kind.
func (s *State) Objects(ctx context.Context, in journal.Namespace, kind journal.ObjectKind, page Page) ([]string, error) {
	h := s.now()
	if _, ok := h.namespace(in); !ok {
		return nil, ErrNoNamespace
	}
	return list(h.kinds, kindKey(in, kind), page), ctx.Err()
}

// Places are what a live object owns.
func (s *State) Places(ctx context.Context, id uuid.UUID) ([]journal.Place, error) {
	h := s.now()
	o, _ := h.objects.get(string(id[:]))
	return slices.Clone(o.Places), ctx.Err()
}

// PlaceHolder finds who has a place that overlaps the path.
func (s *State) PlaceHolder(ctx context.Context, path string, except uuid.UUID) (uuid.UUID, bool, error) {
	h := s.now()
	holder, ok, err := h.PlaceHolder(PlacePath(path), except)
	if err == nil {
		err = ctx.Err()
	}
	return holder, ok, err
}

// Steps are the moves of an object. What they point at is not to be changed.
func (s *State) Steps(ctx context.Context, id uuid.UUID) ([]Step, error) {
	h := s.now()
	newest, _ := h.steps.get(string(id[:]))
	steps := newest.list()
	slices.Reverse(steps)
	return steps, ctx.Err()
}

// LastStep is the newest. What it points at is not to be changed.
func (s *State) LastStep(ctx context.Context, id uuid.UUID) (Step, bool, error) {
	h := s.now()
	newest, ok := h.steps.get(string(id[:]))
	if !ok {
		return Step{}, false, ctx.Err()
	}
	return newest.value, true, ctx.Err()
}

// Created looks at the newest step first.
func (s *State) Created(ctx context.Context, id uuid.UUID, location string) (bool, error) {
	h := s.now()
	for step, _ := h.steps.get(string(id[:])); step != nil; step = step.before {
		if made := step.value.Made(); made != "" && made == location {
			return true, ctx.Err()
		}
	}
	return false, ctx.Err()
}

// Holders are those that ever had a name, the last that got it first.
func (s *State) Holders(ctx context.Context, id journal.Identifier) ([]uuid.UUID, error) {
	if id.Namespace.Check() != nil {
		return nil, ctx.Err()
	}
	h := s.now()
	newest, _ := h.holders.get(nameKey(id))
	var holders []uuid.UUID
	seen := map[uuid.UUID]bool{}
	for _, holder := range newest.list() {
		if !seen[holder] {
			seen[holder] = true
			holders = append(holders, holder)
		}
	}
	return holders, ctx.Err()
}

// namespace finds by path. What could not be created is not there; to look its
// key up could find another's, since a level with 0x1F looks like two.
func (h *held) namespace(name journal.Namespace) (Namespace, bool) {
	if name.Check() != nil {
		return Namespace{}, false
	}
	return h.namespaces.get(name.Key())
}

func (h *held) named(id journal.Identifier) (Object, bool) {
	if _, ok := h.namespace(id.Namespace); !ok {
		return Object{}, false
	}
	holder, ok := h.names.get(nameKey(id))
	o, _ := h.objects.get(string(holder[:]))
	return o.Object, ok
}

// list takes a page of the names whose keys begin with prefix.
func list(names tree[string], prefix string, page Page) []string {
	found := []string{}
	for key, name := range names.from(prefix + page.After) {
		if !strings.HasPrefix(key, prefix) || page.Limit > 0 && len(found) == page.Limit {
			break
		}
		if page.After == "" || key != prefix+page.After {
			found = append(found, name)
		}
	}
	return found
}

func (p *past[V]) list() []V {
	var values []V
	for ; p != nil; p = p.before {
		values = append(values, p.value)
	}
	return values
}
