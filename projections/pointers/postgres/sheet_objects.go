package postgres

import (
	"slices"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers"
)

// FindObject finds by uuid.
func (s *sheet) FindObject(id uuid.UUID) (projections.HeldObject, bool, error) {
	o, err := ask(s, s.objects, id, needs{objects: []uuid.UUID{id}})
	if o == nil || o.past {
		return projections.HeldObject{}, false, err
	}
	return o.HeldObject, true, err
}

// NameHolder finds by name.
func (s *sheet) NameHolder(id journal.Identifier) (projections.Object, bool, error) {
	if id.Namespace.Check() != nil {
		return projections.Object{}, false, nil
	}
	holder, err := ask(s, s.names, namingOf(id), needs{names: []journal.Identifier{id}})
	if holder == nil {
		return projections.Object{}, false, err
	}
	o, err := ask(s, s.objects, *holder, needs{objects: []uuid.UUID{*holder}})
	if o == nil {
		return projections.Object{}, false, err
	}
	return o.Object, true, err
}

// Move says where the object is to be, and keeps the step.
func (s *sheet) Move(o projections.HeldObject, e journal.Event, m journal.Move) error {
	before, err := ask(s, s.objects, o.UUID, needs{objects: []uuid.UUID{o.UUID}})
	if err != nil {
		return err
	}
	s.step++
	is := &object{HeldObject: o, step: s.step}
	var owned []journal.Place
	if before != nil {
		owned = before.Places
	}
	s.swapPlaces(o.UUID, owned, o.Places)
	s.rename(before, is)
	s.objects.put(o.UUID, is)
	s.took(is, pointers.StepOf(e, m))
	return nil
}

func (s *sheet) rename(was, is *object) {
	if was.live() && is.live() && was.Identifier.Equal(is.Identifier) {
		return
	}
	if was.live() {
		s.names.put(namingOf(was.Identifier), nil)
	}
	if is.live() {
		s.names.put(namingOf(is.Identifier), &is.UUID)
	}
}

// SetPlaces replaces them.
func (s *sheet) SetPlaces(id uuid.UUID, places []journal.Place) error {
	o, err := ask(s, s.objects, id, needs{objects: []uuid.UUID{id}})
	if o == nil {
		return err
	}
	s.swapPlaces(id, o.Places, places)
	is := *o
	is.Places = places
	s.objects.put(id, &is)
	return nil
}

// swapPlaces takes the old places that are not among the new, and gives those that
// are not among the old.
func (s *sheet) swapPlaces(id uuid.UUID, old, places []journal.Place) {
	for _, p := range old {
		if !hasPath(places, p.Path) {
			s.setPlace(p.Path, nil)
		}
	}
	for _, p := range places {
		if !hasPath(old, p.Path) {
			s.setPlace(p.Path, &id)
		}
	}
}

func hasPath(places []journal.Place, path string) bool {
	return slices.ContainsFunc(places, func(p journal.Place) bool { return p.Path == path })
}

// FindPurge finds by the table's uuid.
func (s *sheet) FindPurge(table uuid.UUID) (projections.Purge, bool, error) {
	p, err := ask(s, s.purges, table, needs{purges: []uuid.UUID{table}})
	if p == nil {
		return projections.Purge{}, false, err
	}
	return *p, true, err
}

// PutPurge adds or replaces, whatever is stored.
func (s *sheet) PutPurge(p projections.Purge) error {
	s.purges.put(p.Table, &p)
	return nil
}

// DropPurge forgets the one that is there.
func (s *sheet) DropPurge(table uuid.UUID) error {
	p, err := ask(s, s.purges, table, needs{purges: []uuid.UUID{table}})
	if p != nil {
		s.purges.put(table, nil)
	}
	return err
}
