package projectiontest

import (
	"github.com/google/uuid"

	"puddle/journal"
)

// What a move becomes, by the kind of its object.

func creates(m journal.Move) journal.Body {
	if m.Kind == journal.View {
		return journal.ViewCreated{Moves: [1]journal.Move{m}}
	}
	return journal.TableCreated{Moves: [1]journal.Move{m}}
}

func registers(m journal.Move) journal.Body {
	if m.Kind == journal.View {
		return journal.ViewRegistered{Moves: [1]journal.Move{m}}
	}
	return journal.TableRegistered{Moves: [1]journal.Move{m}}
}

// commits moves one object, or several tables.
func commits(m ...journal.Move) journal.Body {
	if m[0].Kind == journal.View {
		return journal.ViewReplaced{Moves: [1]journal.Move(m)}
	}
	return journal.TablesCommitted{Moves: m}
}

func renames(m journal.Move) journal.Body {
	if m.Kind == journal.View {
		return journal.ViewRenamed{Moves: [1]journal.Move{m}}
	}
	return journal.TableRenamed{Moves: [1]journal.Move{m}}
}

func drops(m journal.Move) journal.Body {
	if m.Kind == journal.View {
		return journal.ViewDropped{Moves: [1]journal.Move{m}}
	}
	return journal.TableDropped{Moves: [1]journal.Move{m}}
}

func unregisters(m journal.Move) journal.Body {
	return journal.TableUnregistered{Moves: [1]journal.Move{m}}
}

func undrops(m journal.Move) journal.Body {
	if m.Kind == journal.View {
		return journal.ViewUndropped{Moves: [1]journal.Move{m}}
	}
	return journal.TableUndropped{Moves: [1]journal.Move{m}}
}

func repoints(m journal.Move) journal.Body {
	if m.Kind == journal.View {
		return journal.ViewRepointed{Moves: [1]journal.Move{m}, Reason: "by hand"}
	}
	return journal.TableRepointed{Moves: [1]journal.Move{m}, Reason: "by hand"}
}

// dropsAndPurges drops the table that m left.
func dropsAndPurges(m journal.Move) journal.Body {
	return journal.TableDropped{Moves: [1]journal.Move{drop(m)}, Purge: true}
}

func purgedBody(table, drop uuid.UUID) journal.TablePurged {
	return journal.TablePurged{
		Drop: drop, Table: table, Removed: 3, Kept: 1, Bytes: 99,
		Report: []journal.PurgeFinding{journal.NewPurgeFinding("s3://elsewhere/f", "it is somebody else's")},
	}
}
