package projections

import (
	"fmt"

	"github.com/google/uuid"

	"puddle/journal"
)

// ConflictKind says which rule an event broke.
type ConflictKind string

// The rules that are decided where events are applied, inside the recorder's
// transaction, so that no two requests can both pass.
const (
	NamespaceExists   ConflictKind = "namespace-exists"    // (parent, name) is taken
	NamespaceMissing  ConflictKind = "namespace-missing"   // the parent or the object's namespace is not there
	NamespaceNotEmpty ConflictKind = "namespace-not-empty" // a live object or a child is in it
	NameTaken         ConflictKind = "name-taken"          // a live table or view has the name; Object says which
	UUIDTaken         ConflictKind = "uuid-taken"          // an object has the uuid, or had it, was dropped, and this does not bring it back
	PlaceTaken        ConflictKind = "place-taken"         // another live object's place is equal, above or below
	ObjectMissing     ConflictKind = "object-missing"      // no live object of that kind, name and uuid
	PointerMoved      ConflictKind = "pointer-moved"       // the object is at another pointer than From says
	PurgeMissing      ConflictKind = "purge-missing"       // the table has no pending purge that this drop asked for
	PurgeBegun        ConflictKind = "purge-begun"         // files of Holder are being removed: it cannot come back, nor have its places another object
)

// Conflict refuses an event. Nothing of the event is left in the projection.
type Conflict struct {
	Kind       ConflictKind
	Namespace  journal.Namespace  // of the namespace kinds
	Identifier journal.Identifier // what the event was about
	UUID       uuid.UUID          // likewise
	Object     journal.ObjectKind // NameTaken: what has the name
	Path       string             // PlaceTaken, PurgeBegun: the place that was asked for
	Holder     uuid.UUID          // NameTaken, UUIDTaken, PlaceTaken: who has it; PurgeBegun: who had it
	Drop       uuid.UUID          // PurgeMissing, PurgeBegun: the id of the event that is to have asked for it, or has
}

// Error names the rule and what broke it.
func (c *Conflict) Error() string {
	switch c.Kind {
	case NamespaceExists, NamespaceMissing, NamespaceNotEmpty:
		return fmt.Sprintf("%s: %s", c.Kind, c.Namespace)
	case NameTaken:
		return fmt.Sprintf("%s: %s is a %s", c.Kind, c.Identifier, c.Object)
	case PlaceTaken:
		return fmt.Sprintf("%s: %s overlaps a place of %s", c.Kind, c.Path, c.Holder)
	case PurgeBegun:
		return fmt.Sprintf("%s: %s (%s): files of %s are being removed", c.Kind, c.Identifier, c.UUID, c.Holder)
	case PurgeMissing:
		return fmt.Sprintf("%s: of table %s for drop %s", c.Kind, c.UUID, c.Drop)
	}
	return fmt.Sprintf("%s: %s (%s)", c.Kind, c.Identifier, c.UUID)
}
