package projections

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// Errors of asking.
var (
	// ErrNoNamespace: there is no such namespace.
	ErrNoNamespace = errors.New("no such namespace")
	// ErrNoObject: there is no such table or view.
	ErrNoObject = errors.New("no such object")
)

// Namespace is one namespace as it is now.
type Namespace struct {
	ID         uuid.UUID
	Name       journal.Namespace
	Properties map[string]string // never nil; the caller's own
}

// Object is one table or view as it is now.
type Object struct {
	Kind       journal.ObjectKind
	UUID       uuid.UUID
	Identifier journal.Identifier
	Pointer    journal.Pointer
	Location   string
}

// Page asks for a part of a list that is ordered by the bytes of names: what
// comes after a name, at most Limit of it. Limit 0 asks for all.
type Page struct {
	After string
	Limit int
}

// Reader answers what is true of one warehouse now. A call that begins after an
// event was acknowledged sees it. No call reads storage, so one broken table
// never hides another (law 11). Safe for concurrent use.
type Reader interface {
	// Namespace finds one; ErrNoNamespace.
	Namespace(ctx context.Context, name journal.Namespace) (Namespace, error)
	// Children lists the names (last levels) of the direct children of a
	// namespace, or of the root. ErrNoNamespace when the parent is not there.
	Children(ctx context.Context, parent journal.Namespace, page Page) ([]string, error)
	// Object finds the live table or view of that name; ErrNoObject, also when
	// its namespace is not there.
	Object(ctx context.Context, id journal.Identifier) (Object, error)
	// Objects lists the names of the live objects of a kind; ErrNoNamespace.
	Objects(ctx context.Context, in journal.Namespace, kind journal.ObjectKind, page Page) ([]string, error)
	// Places are what a live object owns, ordered by path; none when it is not
	// live. A rename repeats them without reading the object's file.
	Places(ctx context.Context, object uuid.UUID) ([]journal.Place, error)
	// PlaceHolder is a live object, other than except, that has a place which is
	// the path, above it or below it: the one of the place whose path is first by
	// bytes. The path has the form of journal.Place; one that does not end in a
	// slash, such as a file's, is asked for as if it did.
	PlaceHolder(ctx context.Context, path string, except uuid.UUID) (uuid.UUID, bool, error)
	Purges
	History
}

// Step is one move of one object, with what is known of its event.
type Step struct {
	Seq       journal.Seq
	Event     uuid.UUID
	At        time.Time
	Kind      journal.Kind
	Actor     journal.Actor
	RequestID string
	Move      journal.Move // Updates and Places are left out
}

// End is where a step led.
type End struct {
	Seq  journal.Seq
	Kind journal.ObjectKind
	To   *journal.To // nil: the object was gone; not to be changed
}

// End is where the step led.
func (s Step) End() End { return End{s.Seq, s.Move.Kind, s.Move.To} }

// Made is the location of the metadata file that the step's event made; empty
// when it made none, or took one that was there.
func (s Step) Made() string { return Made(s.Kind, s.Move) }

// Made is the location of the metadata file that an event of a kind made for a
// move; empty when it made none, or took one that was there.
func Made(kind journal.Kind, m journal.Move) string {
	if kind == journal.KindTableCreated || kind == journal.KindTablesCommitted {
		return m.To.Pointer.MetadataLocation
	}
	return ""
}

// History answers where pointers were.
type History interface {
	// Steps are the moves of one object, oldest first, through renames and
	// drops; empty when the journal has never seen the uuid.
	Steps(ctx context.Context, object uuid.UUID) ([]Step, error)
	// LastStep is the newest of the Steps; false when there is none. The cost does
	// not depend on how many there are.
	LastStep(ctx context.Context, object uuid.UUID) (Step, bool, error)
	// Holders are the objects that ever had a name, the one that has it now
	// first, then the last that had it, and so on back.
	Holders(ctx context.Context, id journal.Identifier) ([]uuid.UUID, error)
	// Created tells whether a table-created or tables-committed of the object made
	// the metadata file of that location, spelled exactly so. The cost does not
	// depend on how many steps and objects there are, but in a projection of
	// memory, where newer ones are found sooner.
	Created(ctx context.Context, object uuid.UUID, location string) (bool, error)
}
