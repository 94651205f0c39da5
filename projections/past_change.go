package projections

import (
	"iter"
	"maps"

	"github.com/google/uuid"
)

// NamespaceChange is a name under which two snapshots hold different namespaces, or
// one with different properties. Nil: there is none.
type NamespaceChange struct{ From, To *Namespace }

// NamespaceChanges yields those after a key from the snapshot to another, ascending
// by the key of the name, with the key; the empty key is before all.
func (s *Snapshot) NamespaceChanges(to *Snapshot, after string) iter.Seq2[string, NamespaceChange] {
	return func(yield func(string, NamespaceChange) bool) {
		s.held.namespaces.differing(to.held.namespaces, after, func(key string, a, b *Namespace) bool {
			if a != nil && b != nil && a.ID == b.ID && maps.Equal(a.Properties, b.Properties) {
				return true
			}
			return yield(key, NamespaceChange{ownNamespace(a), ownNamespace(b)})
		})
	}
}

func ownNamespace(n *Namespace) *Namespace {
	if n == nil {
		return nil
	}
	own := *n
	own.Properties = maps.Clone(n.Properties)
	return &own
}

// ObjectChange is an object that one of two snapshots has live and the other has not
// (nil), or that has another name or version in them. Steps is how many of its steps
// in between led to another version than it had, also before a drop or a recovery; below
// 0 when To is the earlier one.
type ObjectChange struct {
	UUID     uuid.UUID
	From, To *Object
	Steps    int
}

// Renamed tells whether it has different names.
func (c ObjectChange) Renamed() bool {
	return c.From != nil && c.To != nil && !c.From.Identifier.Equal(c.To.Identifier)
}

// Moved tells whether it has different versions.
func (c ObjectChange) Moved() bool {
	return c.From != nil && c.To != nil && c.From.Pointer != c.To.Pointer
}

// ObjectChanges yields those after a uuid from the snapshot to another, ascending by
// uuid; uuid.Nil is before all.
func (s *Snapshot) ObjectChanges(to *Snapshot, after uuid.UUID) iter.Seq[ObjectChange] {
	return func(yield func(ObjectChange) bool) {
		begin := ""
		if after != uuid.Nil {
			begin = string(after[:])
		}
		s.held.objects.differing(to.held.objects, begin, func(key string, a, b *HeldObject) bool {
			c := ObjectChange{UUID: uuid.UUID([]byte(key)), From: live(a), To: live(b)}
			if c.From == nil && c.To == nil || c.From != nil && c.To != nil && !c.Renamed() && !c.Moved() {
				return true
			}
			before, _ := s.held.marks.get(key)
			later, _ := to.held.marks.get(key)
			c.Steps = later.versions - before.versions
			return yield(c)
		})
	}
}

func live(o *HeldObject) *Object {
	if o == nil || o.Dropped {
		return nil
	}
	return &o.Object
}
