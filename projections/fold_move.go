package projections

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// foldMove applies one move. The moves of an event are judged in order, each
// seeing what those before it did, and places that all of them have left. What is
// refused is refused before anything is written.
func foldMove(t Tables, e journal.Event, m journal.Move) error {
	held, err := checkFrom(t, e.Kind(), m)
	if err != nil {
		return err
	}
	if Names(m) {
		if err := checkName(t, m); err != nil {
			return err
		}
	}
	places, err := checkPlaces(t, m, held.Places)
	if err != nil {
		return err
	}
	if err := foldPurge(t, e, m, held); err != nil {
		return err
	}
	after := HeldObject{Object: held.Object, Dropped: true}
	if m.To != nil {
		after = HeldObject{Places: places, Object: Object{
			Kind: m.Kind, UUID: m.UUID, Identifier: m.To.Identifier, Pointer: m.To.Pointer, Location: m.To.Location,
		}}
	}
	return t.Move(after, e, m)
}

// foldPurge keeps the purge that a drop asks for, and cancels that of a table
// which comes back.
func foldPurge(t Tables, e journal.Event, m journal.Move, held HeldObject) error {
	if b, ok := e.Body.(journal.TableDropped); ok && b.Purge {
		return askPurge(t, e, held)
	}
	if m.From == nil && held.UUID == m.UUID {
		return t.DropPurge(m.UUID)
	}
	return nil
}

// checkFrom compares where the event found the object with where it is, and
// answers what is held of its uuid: of a newborn nothing.
func checkFrom(t Tables, kind journal.Kind, m journal.Move) (HeldObject, error) {
	held, known, err := t.FindObject(m.UUID)
	switch {
	case err != nil:
		return HeldObject{}, err
	case m.From == nil:
		return held, checkBirth(kind, m, held, known)
	case !known || held.Dropped || held.Kind != m.Kind || !held.Identifier.Equal(m.From.Identifier):
		return HeldObject{}, conflict(ObjectMissing, m, uuid.Nil)
	case held.Pointer != m.From.Pointer:
		return HeldObject{}, conflict(PointerMoved, m, uuid.Nil)
	}
	return held, nil
}

// checkBirth: registering and undropping alone may give a dropped object's uuid
// to an object again, of the same kind, whose history it continues (formats §1).
// Undropping gives no other, and brings it back as it was dropped: when it came
// back and was dropped again meanwhile, its pointer has moved.
func checkBirth(kind journal.Kind, m journal.Move, held HeldObject, known bool) error {
	undrops := kind == journal.KindTableUndropped || kind == journal.KindViewUndropped
	registers := kind == journal.KindTableRegistered || kind == journal.KindViewRegistered
	switch {
	case known && (!held.Dropped || held.Kind != m.Kind || !undrops && !registers):
		return conflict(UUIDTaken, m, m.UUID)
	case !known && undrops:
		return conflict(ObjectMissing, m, uuid.Nil)
	case undrops && held.Pointer != m.To.Pointer:
		return conflict(PointerMoved, m, uuid.Nil)
	}
	return nil
}

// checkName asks whether the object can have its new name.
func checkName(t Tables, m journal.Move) error {
	id := m.To.Identifier
	if _, ok, err := t.FindNamespace(id.Namespace); err != nil {
		return err
	} else if !ok {
		return conflict(NamespaceMissing, m, uuid.Nil)
	}
	holder, taken, err := t.NameHolder(id)
	if err != nil || !taken {
		return err
	}
	c := conflict(NameTaken, m, holder.UUID)
	c.Object = holder.Kind
	return c
}

// checkPlaces are the places that an object has after a move, if it can have them.
// Only a path that is new to it can overlap another object's.
func checkPlaces(t Tables, m journal.Move, owned []journal.Place) ([]journal.Place, error) {
	if m.To == nil {
		return nil, nil
	}
	wanted, err := OrderPlaces(m.To.Places)
	if err != nil || slices.Equal(owned, wanted) {
		return owned, err
	}
	for _, p := range wanted {
		if slices.ContainsFunc(owned, func(o journal.Place) bool { return o.Path == p.Path }) {
			continue
		}
		holder, taken, err := t.PlaceHolder(p.Path, m.UUID)
		if err != nil {
			return nil, err
		}
		if taken {
			c := conflict(PlaceTaken, m, holder)
			c.Path = p.Path
			return nil, c
		}
	}
	return wanted, nil
}

// OrderPlaces are the places that an object owns by a move to them: sorted by path,
// with the first role of a path.
func OrderPlaces(places []journal.Place) ([]journal.Place, error) {
	for _, p := range places {
		if !strings.HasSuffix(p.Path, "/") {
			return nil, fmt.Errorf("%w: the place %q does not end in a slash", journal.ErrRecord, p.Path)
		}
	}
	ordered := slices.Clone(places)
	byPath := func(a, b journal.Place) int { return strings.Compare(a.Path, b.Path) }
	slices.SortStableFunc(ordered, byPath)
	return slices.CompactFunc(ordered, func(a, b journal.Place) bool { return a.Path == b.Path }), nil
}

// PlacesAbove are the path itself and every folder above it: the places that
// would hold it, ascending. Together with what lies below the path they are all
// that can overlap it, by whole segments (case 130).
func PlacesAbove(path string) []string {
	above := make([]string, 0, strings.Count(path, "/"))
	for i, c := range []byte(path) {
		if c == '/' {
			above = append(above, path[:i+1])
		}
	}
	return above
}

func conflict(kind ConflictKind, m journal.Move, holder uuid.UUID) *Conflict {
	c := &Conflict{Kind: kind, Identifier: m.Identifier(), UUID: m.UUID, Holder: holder}
	switch kind {
	case ObjectMissing, PointerMoved:
		if m.From != nil {
			c.Identifier = m.From.Identifier
		}
	case NamespaceMissing:
		c.Namespace = c.Identifier.Namespace
	}
	return c
}

// Names tells whether a move gives its object a name that it did not have before.
func Names(m journal.Move) bool {
	return m.To != nil && (m.From == nil || !m.To.Identifier.Equal(m.From.Identifier))
}

// Leads tells whether a move leads its object to a version that it did not have
// before.
func Leads(m journal.Move) bool {
	return m.To != nil && (m.From == nil || m.To.Pointer != m.From.Pointer)
}

// StepOf is what history keeps of a move, sharing nothing with the event.
func StepOf(e journal.Event, m journal.Move) Step {
	return Step{
		Seq: e.Seq, Event: e.ID, At: e.At, Kind: e.Kind(),
		Actor: e.Cause.Actor, RequestID: e.Cause.RequestID, Move: bareMove(m),
	}
}

// StepOfImport is StepOf for an old move.
func StepOfImport(s journal.ImportedStep) Step {
	return Step{
		Seq: s.Seq, Event: s.Event, At: time.UnixMilli(s.At).UTC(), Kind: s.Kind, Actor: s.Actor, RequestID: s.RequestID, Move: bareMove(s.Move),
	}
}

// bareMove is a move without its updates and places, in memory of its own.
func bareMove(m journal.Move) journal.Move {
	m.Updates = nil
	if m.From != nil {
		m.From = &journal.From{Identifier: ownIdentifier(m.From.Identifier), Pointer: m.From.Pointer}
	}
	if m.To != nil {
		m.To = &journal.To{Identifier: ownIdentifier(m.To.Identifier), Pointer: m.To.Pointer, Location: m.To.Location}
	}
	if m.SnapshotID != nil {
		id := *m.SnapshotID
		m.SnapshotID = &id
	}
	return m
}

func ownIdentifier(id journal.Identifier) journal.Identifier {
	return journal.Identifier{Namespace: slices.Clone(id.Namespace), Name: id.Name}
}
