package projections

import (
	"context"
	"maps"
	"slices"

	"puddle/journal"
)

// Dump is everything a projection of pointers holds of a warehouse at one
// moment, in one order: two projections are equal when their dumps are.
type Dump struct {
	Cursor     journal.Position
	Name       string // of the warehouse
	Location   string
	Namespaces []Namespace  // ascending by Key of the name
	Objects    []HeldObject // ascending by uuid
	Purges     []Purge      // pending and done, ascending by the table's uuid
	Steps      []Step       // ascending by uuid, those of one as they happened
}

// HeldObject is an object with its places, or what a dropped one was: a dropped
// one owns no place.
type HeldObject struct {
	Object
	Dropped bool
	Places  []journal.Place // ascending by path
}

// Dumper tells everything it holds, for a comparison.
type Dumper interface {
	// Dump is consistent: of one moment, also beside writes. It costs as much
	// memory as the warehouse has history.
	Dump(ctx context.Context) (Dump, error)
}

// Dump walks what is held.
func (s *State) Dump(ctx context.Context) (Dump, error) {
	h := s.now()
	d := Dump{Cursor: h.cursor, Name: h.name, Location: h.location}
	for _, n := range h.namespaces.from("") {
		n.Properties = maps.Clone(n.Properties)
		d.Namespaces = append(d.Namespaces, n)
	}
	for _, o := range h.objects.from("") {
		d.Objects = append(d.Objects, HeldObject{Object: o.Object, Dropped: !o.live, Places: slices.Clone(o.places)})
	}
	for _, p := range h.purges.from("") {
		d.Purges = append(d.Purges, ownPurge(p))
	}
	for _, newest := range h.steps.from("") {
		steps := newest.list()
		slices.Reverse(steps)
		d.Steps = append(d.Steps, steps...)
	}
	return d, ctx.Err()
}
