package recorder_test

import (
	"fmt"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// create is the draft of a new table at a place of its own.
func create(warehouse uuid.UUID, in, name string) journal.Draft {
	id := uuid.New()
	to := journal.To{
		Identifier: journal.Identifier{Namespace: journal.Namespace{in}, Name: name},
		Location:   fmt.Sprintf("file:///lake/%s", id),
		Places:     []journal.Place{{Path: fmt.Sprintf("///lake/%s/", id), Role: "location"}},
	}
	to.Pointer = pointer(to.Location)
	return draft(warehouse, journal.TableCreated{Moves: [1]journal.Move{{Kind: journal.Table, UUID: id, To: &to}}})
}

// pointer is one that no table had before.
func pointer(location string) journal.Pointer {
	at := fmt.Sprintf("%s/metadata/%s.metadata.json", location, uuid.New())
	digest := journal.Sum([]byte(at))
	return journal.Pointer{DocumentSHA256: digest, SHA256: digest, Size: 1, Encoding: journal.EncodingNone, MetadataLocation: at}
}

// commit is the draft that moves tables on from where they were seen.
func commit(warehouse uuid.UUID, seen ...projections.Object) journal.Draft {
	var moves []journal.Move
	for _, o := range seen {
		m := move(o)
		m.To.Pointer = pointer(o.Location)
		moves = append(moves, m)
	}
	return draft(warehouse, journal.TablesCommitted{Moves: moves})
}

func rename(warehouse uuid.UUID, seen projections.Object, to journal.Identifier) journal.Draft {
	m := move(seen)
	m.To.Identifier = to
	return draft(warehouse, journal.TableRenamed{Moves: [1]journal.Move{m}})
}

func drop(warehouse uuid.UUID, seen projections.Object, purge bool) journal.Draft {
	m := move(seen)
	m.To = nil
	return draft(warehouse, journal.TableDropped{Moves: [1]journal.Move{m}, Purge: purge})
}

func repoint(warehouse uuid.UUID, seen projections.Object) journal.Draft {
	m := move(seen)
	m.To.Pointer = pointer(seen.Location)
	return draft(warehouse, journal.TableRepointed{Moves: [1]journal.Move{m}, Reason: "by hand"})
}

// undrop brings back what was dropped, under any name.
func undrop(warehouse uuid.UUID, p projections.Purge, as journal.Identifier) journal.Draft {
	return draft(warehouse, journal.TableUndropped{Moves: [1]journal.Move{{Kind: journal.Table, UUID: p.Table, To: &journal.To{
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
			Places: []journal.Place{{Path: fmt.Sprintf("///lake/%s/", o.UUID), Role: "location"}},
		},
	}
}
