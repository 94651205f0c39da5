package projections

import (
	"fmt"
	"maps"

	"github.com/google/uuid"

	"puddle/journal"
)

// Follows tells whether a projection of a warehouse that stands at cursor has
// yet to apply e: false for what is at or below the cursor. An event that is not
// the next is ErrGap; one that is of another warehouse or history, ErrDiverged.
// An incarnation begins with its incarnation-started, whose parent is the
// cursor, and only there may seq jump.
func Follows(warehouse uuid.UUID, cursor journal.Position, e journal.Event) (bool, error) {
	if e.Warehouse != warehouse {
		return false, fmt.Errorf("%w: event %s is of warehouse %s, not %s", ErrDiverged, e.Position, e.Warehouse, warehouse)
	}
	if e.Seq < cursor.Seq {
		return false, nil
	}
	if e.Seq == cursor.Seq && !cursor.IsZero() {
		return false, sameHash(cursor, e.Position)
	}
	if start, ok := e.Body.(journal.IncarnationStarted); ok {
		return true, followsParent(cursor, e, start)
	}
	switch {
	case cursor.IsZero() || e.Seq != cursor.Seq+1:
		return false, fmt.Errorf("%w: %s after %s", ErrGap, e.Position, cursor)
	case e.Incarnation != cursor.Incarnation || e.Prev != cursor.Hash:
		return false, fmt.Errorf("%w: event %s does not link to %s", ErrDiverged, e.Position, cursor)
	}
	return true, nil
}

func followsParent(cursor journal.Position, e journal.Event, start journal.IncarnationStarted) error {
	switch {
	case e.Incarnation == cursor.Incarnation || e.Prev != journal.Genesis(e.Warehouse, e.Incarnation):
		return fmt.Errorf("%w: event %s starts an incarnation but is not the first of one", ErrDiverged, e.Position)
	case cursor.IsZero() || start.Parent != nil && *start.Parent == cursor:
		return nil
	case start.Parent != nil && start.Parent.Seq > cursor.Seq:
		return fmt.Errorf("%w: incarnation %s continues %s, not %s", ErrGap, e.Incarnation, *start.Parent, cursor)
	}
	return fmt.Errorf("%w: incarnation %s does not continue %s", ErrDiverged, e.Incarnation, cursor)
}

// Fold applies one event, of which Follows said true, to the tables: the one
// place where the rules are, for every projection that holds pointers, live and
// in replay. What breaks a rule is a *Conflict; then, and after any other error,
// the caller undoes what was written since. An event with fewer than two moves is
// refused before anything is written.
func Fold(t Tables, e journal.Event) error {
	switch b := e.Body.(type) {
	case journal.IncarnationStarted:
		return t.Begin(b.Name, b.Location)
	case journal.NamespaceCreated:
		return createNamespace(t, b)
	case journal.NamespaceUpdated:
		return updateNamespace(t, b)
	case journal.NamespaceDropped:
		return dropNamespace(t, b)
	case journal.TableCreated, journal.TableRegistered, journal.TablesCommitted,
		journal.TableRenamed, journal.TableDropped, journal.TableUnregistered,
		journal.TableUndropped, journal.TableRepointed, journal.ViewUndropped, journal.ViewRepointed,
		journal.ViewCreated, journal.ViewRegistered, journal.ViewReplaced, journal.ViewRenamed, journal.ViewDropped:
		if err := leavePlaces(t, e.Moves()); err != nil {
			return err
		}
		for _, m := range e.Moves() {
			if err := foldMove(t, e, m); err != nil {
				return err
			}
		}
		return nil
	case journal.TablePurged:
		return closePurge(t, b)
	case journal.HistoryImported:
		return importHistory(t, e.Seq, b)
	case journal.RecoveryCompleted: // what it counts is there already
		return nil
	}
	return fmt.Errorf("%w: no projection knows the body %T of event %s", journal.ErrNewer, e.Body, e.Position)
}

func createNamespace(t Tables, b journal.NamespaceCreated) error {
	if parent := b.Namespace.Parent(); !parent.IsRoot() {
		if _, ok, err := t.FindNamespace(parent); err != nil {
			return err
		} else if !ok {
			return &Conflict{Kind: NamespaceMissing, Namespace: parent, UUID: b.ID}
		}
	}
	if held, ok, err := t.FindNamespace(b.Namespace); err != nil {
		return err
	} else if ok {
		return &Conflict{Kind: NamespaceExists, Namespace: b.Namespace, UUID: b.ID, Holder: held.ID}
	}
	if _, ok, err := t.NamespaceOf(b.ID); err != nil {
		return err
	} else if ok {
		return &Conflict{Kind: UUIDTaken, Namespace: b.Namespace, UUID: b.ID, Holder: b.ID}
	}
	return t.PutNamespace(Namespace{ID: b.ID, Name: b.Namespace, Properties: b.Properties})
}

func updateNamespace(t Tables, b journal.NamespaceUpdated) error {
	held, err := heldNamespace(t, b.Namespace, b.ID)
	if err != nil {
		return err
	}
	properties := make(map[string]string, len(held.Properties)+len(b.Updated))
	maps.Copy(properties, held.Properties)
	for _, key := range b.Removed {
		delete(properties, key)
	}
	maps.Copy(properties, b.Updated)
	held.Properties = properties
	return t.PutNamespace(held)
}

func dropNamespace(t Tables, b journal.NamespaceDropped) error {
	held, err := heldNamespace(t, b.Namespace, b.ID)
	if err != nil {
		return err
	}
	occupied, err := t.Occupied(b.Namespace)
	if err != nil {
		return err
	}
	if occupied {
		return &Conflict{Kind: NamespaceNotEmpty, Namespace: b.Namespace, UUID: b.ID}
	}
	return t.DropNamespace(held)
}

// heldNamespace is the namespace of that name and id. Another id means that it
// was dropped and made again since the event was decided.
func heldNamespace(t Tables, name journal.Namespace, id uuid.UUID) (Namespace, error) {
	held, ok, err := t.FindNamespace(name)
	if err != nil {
		return Namespace{}, err
	}
	if !ok || held.ID != id {
		return Namespace{}, &Conflict{Kind: NamespaceMissing, Namespace: name, UUID: id}
	}
	return held, nil
}
