package pointers

import (
	"fmt"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// warmObjects is how many objects a load holds in memory, each about 1 KiB.
const warmObjects = 150_000

// warm is the tables of a warehouse while they are loaded. All objects and places
// are in memory, so that SQLite is asked for none and each is written once. When
// there are too many, full says that the rest of the load goes without.
type warm struct {
	*tables
	limit      int
	full       bool
	namespaces map[string]projections.Namespace // those found, by Key
	objects    map[uuid.UUID]*warmObject
	names      map[string]uuid.UUID // of the live, by Key
	paths      map[string]warmPath  // places, and the folders above them
	dirty      []*warmObject
}

type warmObject struct {
	projections.Object
	places      []journal.Place
	live        bool
	dirty, kept bool // is in the list; has rows
}

// warmPath is who has the place, if any, and how many places are below.
type warmPath struct {
	holder uuid.UUID
	below  int
}

func newWarm(t *tables) *warm {
	w := &warm{tables: t, limit: warmObjects}
	w.empty()
	return w
}

// now are the tables to fold with.
func (w *warm) now() projections.Tables {
	if w.full {
		return w.tables
	}
	return w
}

func (w *warm) empty() {
	w.namespaces, w.objects, w.dirty = map[string]projections.Namespace{}, map[uuid.UUID]*warmObject{}, nil
	w.names, w.paths = map[string]uuid.UUID{}, map[string]warmPath{}
}

// Begin forgets what is in memory too.
func (w *warm) Begin(name, location string) error {
	w.empty()
	return w.tables.Begin(name, location)
}

// FindNamespace asks once.
func (w *warm) FindNamespace(name journal.Namespace) (projections.Namespace, bool, error) {
	if n, ok := w.namespaces[name.Key()]; ok && n.Name.Equal(name) {
		return n, true, nil
	}
	n, ok, err := w.tables.FindNamespace(name)
	if ok && err == nil {
		w.namespaces[name.Key()] = n
	}
	return n, ok, err
}

// PutNamespace writes.
func (w *warm) PutNamespace(n projections.Namespace) error {
	delete(w.namespaces, n.Name.Key())
	return w.tables.PutNamespace(n)
}

// DropNamespace writes.
func (w *warm) DropNamespace(n projections.Namespace) error {
	delete(w.namespaces, n.Name.Key())
	return w.tables.DropNamespace(n)
}

// Occupied asks SQLite when it knows everything.
func (w *warm) Occupied(name journal.Namespace) (bool, error) {
	if err := w.flush(); err != nil {
		return false, err
	}
	return w.tables.Occupied(name)
}

// FindObject is in memory.
func (w *warm) FindObject(id uuid.UUID) (found projections.Object, live, ok bool, err error) {
	o, ok := w.objects[id]
	if !ok {
		return projections.Object{}, false, false, nil
	}
	return o.Object, o.live, true, nil
}

// NameHolder is in memory.
func (w *warm) NameHolder(id journal.Identifier) (projections.Object, bool, error) {
	if o, ok := w.objects[w.names[id.Key()]]; ok && o.Identifier.Equal(id) {
		return o.Object, true, nil
	}
	return projections.Object{}, false, nil
}

// PutObject stays in memory.
func (w *warm) PutObject(o projections.Object) error {
	held, ok := w.objects[o.UUID]
	if !ok {
		held = &warmObject{}
		w.objects[o.UUID] = held
	}
	if !ok || !held.live || !held.Identifier.Equal(o.Identifier) {
		if held.live {
			delete(w.names, held.Identifier.Key())
		}
		w.names[o.Identifier.Key()] = o.UUID
	}
	if n, ok := w.namespaces[o.Identifier.Namespace.Key()]; ok {
		o.Identifier.Namespace = n.Name // one for all objects in it
	}
	held.Object, held.live = o, true
	w.changed(held)
	return nil
}

// DropObject stays in memory.
func (w *warm) DropObject(o projections.Object) error {
	held, ok := w.objects[o.UUID]
	if !ok {
		return nil
	}
	delete(w.names, held.Identifier.Key())
	held.live = false
	w.changed(held)
	return nil
}

func (w *warm) changed(o *warmObject) {
	if !o.dirty {
		o.dirty = true
		w.dirty = append(w.dirty, o)
	}
}

// Places are in memory.
func (w *warm) Places(object uuid.UUID) ([]journal.Place, error) {
	if o, ok := w.objects[object]; ok {
		return o.places, nil
	}
	return nil, nil
}

// SetPlaces stays in memory.
func (w *warm) SetPlaces(object uuid.UUID, places []journal.Place) error {
	o, ok := w.objects[object]
	if !ok {
		return fmt.Errorf("%w: places of %s, which is not there", projections.ErrDiverged, object)
	}
	w.claim(o.places, uuid.Nil, -1)
	w.claim(places, object, 1)
	o.places = places
	w.changed(o)
	return nil
}

// claim gives the places to a holder, or takes them away.
func (w *warm) claim(places []journal.Place, holder uuid.UUID, count int) {
	for _, place := range places {
		above := projections.PlacesAbove(place.Path)
		for i, folder := range above {
			p := w.paths[folder]
			if i == len(above)-1 {
				p.holder = holder
			} else {
				p.below += count
			}
			if p == (warmPath{}) {
				delete(w.paths, folder)
			} else {
				w.paths[folder] = p
			}
		}
	}
}

// PlaceHolder asks SQLite who it is only when there may be one.
func (w *warm) PlaceHolder(path string, except uuid.UUID) (uuid.UUID, bool, error) {
	free := w.paths[path].below == 0
	for _, folder := range projections.PlacesAbove(path) {
		holder := w.paths[folder].holder
		free = free && (holder == uuid.Nil || holder == except)
	}
	if free {
		return uuid.Nil, false, nil
	}
	if err := w.flush(); err != nil {
		return uuid.Nil, false, err
	}
	return w.tables.PlaceHolder(path, except)
}
