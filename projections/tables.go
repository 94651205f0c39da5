package projections

import (
	"github.com/google/uuid"

	"puddle/journal"
)

// Tables is what Fold reads and writes: the tables of one warehouse inside a
// transaction, which sees its own writes. Every method answers only for rows of
// that warehouse, compares names byte by byte, and costs the same whatever the
// number of objects. Rules are Fold's; tables have none.
type Tables interface {
	WarehouseTable
	NamespaceTable
	ObjectTable
	PlaceTable
	PurgeTable
}

// WarehouseTable says which warehouse this is.
type WarehouseTable interface {
	// Begin starts an incarnation: namespaces, objects, places and purges are
	// forgotten, history is kept.
	Begin(name, location string) error
}

// NamespaceTable holds the namespaces.
type NamespaceTable interface {
	FindNamespace(name journal.Namespace) (Namespace, bool, error)
	// NamespaceOf is the name of the namespace with an id.
	NamespaceOf(id uuid.UUID) (journal.Namespace, bool, error)
	// PutNamespace adds one whose parent is there, or replaces the properties
	// of the one that has the id.
	PutNamespace(n Namespace) error
	DropNamespace(n Namespace) error
	// Occupied tells whether a child or a live object is in it.
	Occupied(name journal.Namespace) (bool, error)
}

// ObjectTable holds the objects, those that were dropped too, and the steps of all
// that ever were.
type ObjectTable interface {
	// FindObject looks one up, live or dropped. Its places are not to be changed.
	FindObject(object uuid.UUID) (HeldObject, bool, error)
	// NameHolder is the live object that has a name.
	NameHolder(id journal.Identifier) (Object, bool, error)
	// Move puts the object o, with its places, where a move of the event brought
	// it, in place of what is held of its uuid, and adds the step to the history.
	// A dropped one has neither name nor place. No path comes twice.
	Move(o HeldObject, e journal.Event, m journal.Move) error
	// LastEnd is where the newest step of an object led, of whatever incarnation;
	// false when it has none.
	LastEnd(object uuid.UUID) (End, bool, error)
	// Import adds steps to the history of objects that FindObject does not find, each
	// after those that are there. They stay as they are: in history alone.
	Import(steps []Step) error
}

// PlaceTable holds what live objects own.
type PlaceTable interface {
	// SetPlaces replaces those of an object that is there, ordered by path.
	SetPlaces(object uuid.UUID, places []journal.Place) error
	// PlaceHolder is another object than the one named that has a place which
	// is the path, above it or below it: the one of the place whose path is
	// first by bytes.
	PlaceHolder(path string, except uuid.UUID) (uuid.UUID, bool, error)
}

// PurgeTable holds what drops asked for.
type PurgeTable interface {
	// FindPurge is the purge of a table.
	FindPurge(table uuid.UUID) (Purge, bool, error)
	// PutPurge adds one or replaces that of its table.
	PutPurge(p Purge) error
	// DropPurge forgets that of a table. There need not be one.
	DropPurge(table uuid.UUID) error
}
