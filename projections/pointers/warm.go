package pointers

import (
	"slices"

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
	names      map[string]*warmObject // the live, by Key
	paths      map[string]warmPath    // places, and the folders above them
	dirty      []*warmObject
	made       []madeRow // to be written in their order
	named      []nameRow // likewise
}

type warmObject struct {
	objectRow
	dirty, kept bool            // is in the list; has a row
	written     []journal.Place // that have rows
}

// warmPath is who has the place, if any, and how many places are below.
type warmPath struct {
	holder uuid.UUID
	below  int
}

func newWarm(t *tables) *warm {
	w := &warm{tables: t, limit: warmObjects, objects: map[uuid.UUID]*warmObject{}}
	w.empty()
	return w
}

// now are the tables to fold with.
func (w *warm) now() projections.Tables {
	if w.full {
		clear(w.held)
		return w.tables
	}
	return w
}

// empty forgets all but objects.
func (w *warm) empty() {
	w.namespaces, w.names, w.paths = map[string]projections.Namespace{}, map[string]*warmObject{}, map[string]warmPath{}
}

// Begin makes the objects in memory past too.
func (w *warm) Begin(name, location string) error {
	w.empty()
	for _, o := range w.objects {
		o.past, o.Places, o.written = true, nil, nil
		w.changed(o)
	}
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
func (w *warm) FindObject(id uuid.UUID) (projections.HeldObject, bool, error) {
	if o, ok := w.objects[id]; ok && !o.past {
		return o.HeldObject, true, nil
	}
	return projections.HeldObject{}, false, nil
}

// NameHolder is in memory.
func (w *warm) NameHolder(id journal.Identifier) (projections.Object, bool, error) {
	if o, ok := w.names[id.Key()]; ok && o.Identifier.Equal(id) {
		return o.Object, true, nil
	}
	return projections.Object{}, false, nil
}

// Move stays in memory; the step is written.
func (w *warm) Move(o projections.HeldObject, e journal.Event, m journal.Move) error {
	w.step++
	held, ok := w.objects[o.UUID]
	if !ok {
		held = &warmObject{objectRow: objectRow{id: w.step, past: true}}
		w.objects[o.UUID] = held
	}
	before := held.step
	w.swapPlaces(o.UUID, held.Places, o.Places)
	w.rename(held, o)
	if n, ok := w.namespaces[o.Identifier.Namespace.Key()]; ok {
		o.Identifier.Namespace = n.Name // one for all objects in it
	}
	held.HeldObject, held.past, held.step = o, false, w.step
	w.changed(held)
	if file := madeBy(e, m); file != 0 {
		w.made = append(w.made, madeRow{held.id, file, w.step})
	}
	if projections.Names(m) {
		w.named = append(w.named, nameRow{o.Identifier.Namespace.Key(), o.Identifier.Name, w.step, o.UUID})
	}
	return w.addStep(&held.objectRow, before, e, m)
}

// rename gives the object the name that it is to have, before it is as it is to be.
func (w *warm) rename(held *warmObject, o projections.HeldObject) {
	live := !held.past && !held.Dropped
	if live && !o.Dropped && held.Identifier.Equal(o.Identifier) {
		return
	}
	if live {
		delete(w.names, held.Identifier.Key())
	}
	if !o.Dropped {
		w.names[o.Identifier.Key()] = held
	}
}

func (w *warm) changed(o *warmObject) {
	if !o.dirty {
		o.dirty = true
		w.dirty = append(w.dirty, o)
	}
}

// SetPlaces stays in memory.
func (w *warm) SetPlaces(object uuid.UUID, places []journal.Place) error {
	if o, ok := w.objects[object]; ok {
		w.swapPlaces(object, o.Places, places)
		o.Places = places
		w.changed(o)
	}
	return nil
}

func (w *warm) swapPlaces(object uuid.UUID, old, places []journal.Place) {
	if slices.Equal(old, places) {
		return
	}
	w.claim(old, uuid.Nil, -1)
	w.claim(places, object, 1)
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
