package recordertest

import (
	"fmt"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// Namespace is the draft of a new namespace.
func Namespace(warehouse uuid.UUID, name string) journal.Draft {
	return Draft(warehouse, journal.NamespaceCreated{ID: uuid.New(), Namespace: journal.Namespace{name}})
}

// Draft is one by nobody in particular.
func Draft(warehouse uuid.UUID, body journal.Body) journal.Draft {
	return journal.Draft{
		Warehouse: warehouse, ID: uuid.Must(uuid.NewV7()), Body: body,
		Cause: journal.Cause{Actor: journal.Anonymous, Origin: journal.OriginREST},
	}
}

// Create is the draft of a new table at a place of its own.
func Create(warehouse uuid.UUID, in, name string) journal.Draft {
	id := uuid.New()
	to := journal.To{
		Identifier: journal.Identifier{Namespace: journal.Namespace{in}, Name: name},
		Location:   fmt.Sprintf("file:///Lake/%s", id),
		Places:     []journal.Place{{Path: fmt.Sprintf("///Lake/%s/", id), Role: "location"}},
	}
	to.Pointer = pointer(to.Location)
	return Draft(warehouse, journal.TableCreated{Moves: [1]journal.Move{{Kind: journal.Table, UUID: id, To: &to}}})
}

// pointer is one that no table had before.
func pointer(location string) journal.Pointer {
	at := fmt.Sprintf("%s/metadata/%s.metadata.json", location, uuid.New())
	digest := journal.Sum([]byte(at))
	return journal.Pointer{DocumentSHA256: digest, SHA256: digest, Size: 1, Encoding: journal.EncodingNone, MetadataLocation: at}
}

// Commit is the draft that moves tables on from where they were seen.
func Commit(warehouse uuid.UUID, seen ...projections.Object) journal.Draft {
	var moves []journal.Move
	for _, o := range seen {
		m := move(o)
		m.To.Pointer = pointer(o.Location)
		moves = append(moves, m)
	}
	return Draft(warehouse, journal.TablesCommitted{Moves: moves})
}

// Rename is the draft that moves a table to another name.
func Rename(warehouse uuid.UUID, seen projections.Object, to journal.Identifier) journal.Draft {
	m := move(seen)
	m.To.Identifier = to
	return Draft(warehouse, journal.TableRenamed{Moves: [1]journal.Move{m}})
}

// Drop is the draft of a drop, with a purge or without.
func Drop(warehouse uuid.UUID, seen projections.Object, purge bool) journal.Draft {
	m := move(seen)
	m.To = nil
	return Draft(warehouse, journal.TableDropped{Moves: [1]journal.Move{m}, Purge: purge})
}

// Repoint is the draft that moves a pointer by hand.
func Repoint(warehouse uuid.UUID, seen projections.Object) journal.Draft {
	m := move(seen)
	m.To.Pointer = pointer(seen.Location)
	return Draft(warehouse, journal.TableRepointed{Moves: [1]journal.Move{m}, Reason: "by hand"})
}

// Undrop brings back what was dropped, under any name.
func Undrop(warehouse uuid.UUID, p projections.Purge, as journal.Identifier) journal.Draft {
	return Draft(warehouse, journal.TableUndropped{Moves: [1]journal.Move{{Kind: journal.Table, UUID: p.Table, To: &journal.To{
		Identifier: as, Location: p.Location, Places: p.Places, Pointer: p.Pointer,
	}}}})
}

// move leaves a table where it is, at a place named after its uuid.
func move(o projections.Object) journal.Move {
	return journal.Move{
		Kind: journal.Table, UUID: o.UUID,
		From: &journal.From{Identifier: o.Identifier, Pointer: o.Pointer},
		To: &journal.To{
			Identifier: o.Identifier, Location: o.Location, Pointer: o.Pointer,
			Places: []journal.Place{{Path: fmt.Sprintf("///Lake/%s/", o.UUID), Role: "location"}},
		},
	}
}

// Object is what a move left.
func Object(m journal.Move) projections.Object {
	return projections.Object{Kind: m.Kind, UUID: m.UUID, Identifier: m.To.Identifier, Pointer: m.To.Pointer, Location: m.To.Location}
}
