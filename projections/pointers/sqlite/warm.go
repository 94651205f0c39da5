package sqlite

import (
	"hash/maphash"
	"slices"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers"
)

// warmObjects is how many objects a load holds in memory, each about half a KiB.
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
	names      map[string]map[string]*warmObject // the live, by Key of the namespace and name
	seed       maphash.Seed
	paths      map[uint64]warmPath // by hash
	dirty      []*warmObject
	found      projections.HeldObject // last, as it is
	packed     []byte
	rows       warmRows
}

// warmObject is a row of objects as it will be.
type warmObject struct {
	uuid          uuid.UUID
	id, step      int64
	identifier    journal.Identifier
	held          []byte
	kind          journal.ObjectKind
	dropped, past bool
	seq           journal.Seq // of its last step
	ended         bool        // which led nowhere
	dirty, kept   bool        // is in the list; has a row
}

// warmPath counts the places that are a path, and those below. Paths of the same
// hash count together, so that a path may seem to be taken and is not.
type warmPath struct{ at, below int32 }

func newWarm(t *tables) *warm {
	w := &warm{tables: t, limit: warmObjects, objects: map[uuid.UUID]*warmObject{}, seed: maphash.MakeSeed(), rows: newWarmRows(t)}
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
	w.namespaces, w.names, w.paths = map[string]projections.Namespace{}, map[string]map[string]*warmObject{}, map[uint64]warmPath{}
	w.found = projections.HeldObject{}
}

// Begin makes the objects in memory past too.
func (w *warm) Begin(name, location string) error {
	w.empty()
	for _, o := range w.objects {
		o.past = true
		w.changed(o)
	}
	return w.tables.Begin(name, location)
}

// FindObject is in memory.
func (w *warm) FindObject(id uuid.UUID) (projections.HeldObject, bool, error) {
	o, ok := w.objects[id]
	if !ok || o.past {
		return projections.HeldObject{}, false, nil
	}
	held, err := o.object()
	w.found = held
	return held, true, err
}

func (o *warmObject) object() (projections.HeldObject, error) {
	held := projections.HeldObject{Dropped: o.dropped}
	held.Kind, held.UUID, held.Identifier = o.kind, o.uuid, o.identifier
	return held, pointers.UnpackObject(o.held, &held)
}

// keep packs an object into the memory of old, or into no more than it needs.
func (w *warm) keep(o projections.HeldObject, old []byte) []byte {
	w.packed = pointers.PackObject(o, w.packed[:0])
	return append(old[:0], w.packed...)
}

// NameHolder is in memory.
func (w *warm) NameHolder(id journal.Identifier) (projections.Object, bool, error) {
	o, ok := w.names[id.Namespace.Key()][id.Name]
	if !ok || !o.identifier.Equal(id) {
		return projections.Object{}, false, nil
	}
	held, err := o.object()
	return held.Object, true, err
}

// Move stays in memory, but for the step.
func (w *warm) Move(o projections.HeldObject, e journal.Event, m journal.Move) error {
	w.step++
	is, ok := w.objects[o.UUID]
	if !ok {
		is = &warmObject{uuid: o.UUID, id: w.step, past: true}
		w.objects[o.UUID] = is
	}
	if w.found.UUID != o.UUID && !is.past {
		if _, _, err := w.FindObject(o.UUID); err != nil {
			return err
		}
	}
	if w.found.UUID == o.UUID {
		w.swapPlaces(w.found.Places, o.Places)
	} else {
		w.swapPlaces(nil, o.Places)
	}
	w.found = o
	w.rename(is, o)
	before := is.step
	is.kind, is.step, is.held, is.dropped, is.past = o.Kind, w.step, w.keep(o, is.held), o.Dropped, false
	is.seq, is.ended = e.Seq, o.Dropped
	w.changed(is)
	return w.rows.step(is, before, pointers.StepOf(e, m))
}

// rename gives an object the name that it is to have.
func (w *warm) rename(is *warmObject, o projections.HeldObject) {
	live := !is.past && !is.dropped
	if live && !o.Dropped && is.identifier.Equal(o.Identifier) {
		return
	}
	if live {
		delete(w.names[is.identifier.Namespace.Key()], is.identifier.Name)
	}
	is.identifier = o.Identifier
	key := o.Identifier.Namespace.Key()
	if n, ok := w.namespaces[key]; ok {
		is.identifier.Namespace = n.Name // one for all objects in it
	}
	if o.Dropped {
		return
	}
	if w.names[key] == nil {
		w.names[key] = map[string]*warmObject{}
	}
	w.names[key][o.Identifier.Name] = is
}

func (w *warm) changed(o *warmObject) {
	if !o.dirty {
		o.dirty = true
		w.dirty = append(w.dirty, o)
	}
}

// SetPlaces stays in memory.
func (w *warm) SetPlaces(object uuid.UUID, places []journal.Place) error {
	is, ok := w.objects[object]
	if !ok {
		return nil
	}
	held, err := is.object()
	if err != nil {
		return err
	}
	w.swapPlaces(held.Places, places)
	held.Places = places
	is.held, w.found = w.keep(held, is.held), held
	w.changed(is)
	return nil
}

func (w *warm) swapPlaces(old, places []journal.Place) {
	if !slices.Equal(old, places) {
		w.count(old, -1)
		w.count(places, 1)
	}
}

// count counts places, and takes them off.
func (w *warm) count(places []journal.Place, by int32) {
	for _, place := range places {
		above := projections.PlacesAbove(place.Path)
		for i, folder := range above {
			key := maphash.String(w.seed, folder)
			p := w.paths[key]
			if i == len(above)-1 {
				p.at += by
			} else {
				p.below += by
			}
			if p == (warmPath{}) {
				delete(w.paths, key)
			} else {
				w.paths[key] = p
			}
		}
	}
}

// PlaceHolder asks SQLite who it is only when there may be one.
func (w *warm) PlaceHolder(path string, except uuid.UUID) (uuid.UUID, bool, error) {
	above := projections.PlacesAbove(path)
	free := w.paths[maphash.String(w.seed, path)].below == 0
	for _, folder := range above {
		free = free && w.paths[maphash.String(w.seed, folder)].at == 0
	}
	if free {
		return uuid.Nil, false, nil
	}
	if err := w.flush(); err != nil {
		return uuid.Nil, false, err
	}
	return w.tables.PlaceHolder(path, except)
}
