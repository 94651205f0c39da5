package journaltest

import (
	"slices"

	"github.com/google/uuid"

	"puddle/journal"
)

// CreateTable creates a table.
func (s *Story) CreateTable(id journal.Identifier) { s.tell(s.birth(journal.Table, id), created) }

// CreateView creates a view.
func (s *Story) CreateView(id journal.Identifier) { s.tell(s.birth(journal.View, id), created) }

// Commit moves the pointers of tables; one that is not there is created.
func (s *Story) Commit(ids ...journal.Identifier) {
	var moves []journal.Move
	for _, id := range ids {
		move := s.commit(id)
		s.apply(move)
		moves = append(moves, move)
	}
	s.add(journal.TablesCommitted{Moves: moves})
}

// ReplaceView moves a view's pointer.
func (s *Story) ReplaceView(id journal.Identifier) {
	s.tell(s.commit(id), func(m journal.Move) journal.Body { return committed(m) })
}

// Register registers a file of which nobody knew; over a live table it replaces
// that one's.
func (s *Story) Register(kind journal.ObjectKind, id journal.Identifier) {
	s.tell(s.register(kind, id), registered)
}

// Return registers an object that is gone, under any name.
func (s *Story) Return(object uuid.UUID, id journal.Identifier) {
	s.tell(s.returning(s.Gone(object), id), registered)
}

// Rename renames a table or view.
func (s *Story) Rename(from, to journal.Identifier) { s.tell(s.rename(from, to), renamed) }

// Drop drops a table or view; of a table purge asks for its files to be removed.
func (s *Story) Drop(id journal.Identifier, purge bool) {
	held := s.Objects[id.Key()]
	s.tell(s.drop(id), func(m journal.Move) journal.Body { return dropped(m, purge) })
	if purge && held.Kind == journal.Table {
		s.asked(held)
	}
}

// Unregister unregisters a table.
func (s *Story) Unregister(id journal.Identifier) { s.tell(s.drop(id), unregistered) }

// Gone is an object that was dropped or unregistered.
func (s *Story) Gone(object uuid.UUID) Object {
	i := slices.IndexFunc(s.gone, func(o Object) bool { return o.UUID == object })
	return s.gone[i]
}

// tell appends what a body makes of one move, and the model follows.
func (s *Story) tell(m journal.Move, body func(journal.Move) journal.Body) {
	s.apply(m)
	s.add(body(m))
}

func created(m journal.Move) journal.Body {
	if m.Kind == journal.View {
		return journal.ViewCreated{Moves: [1]journal.Move{m}}
	}
	return journal.TableCreated{Moves: [1]journal.Move{m}}
}

func registered(m journal.Move) journal.Body {
	if m.Kind == journal.View {
		return journal.ViewRegistered{Moves: [1]journal.Move{m}}
	}
	return journal.TableRegistered{Moves: [1]journal.Move{m}}
}

// committed is the body that moves pointers of objects of one kind.
func committed(m journal.Move, others ...journal.Move) journal.Body {
	if m.Kind == journal.View {
		return journal.ViewReplaced{Moves: [1]journal.Move{m}}
	}
	return journal.TablesCommitted{Moves: append([]journal.Move{m}, others...)}
}

func renamed(m journal.Move) journal.Body {
	if m.Kind == journal.View {
		return journal.ViewRenamed{Moves: [1]journal.Move{m}}
	}
	return journal.TableRenamed{Moves: [1]journal.Move{m}}
}

func dropped(m journal.Move, purge bool) journal.Body {
	if m.Kind == journal.View {
		return journal.ViewDropped{Moves: [1]journal.Move{m}}
	}
	return journal.TableDropped{Moves: [1]journal.Move{m}, Purge: purge}
}

func unregistered(m journal.Move) journal.Body {
	return journal.TableUnregistered{Moves: [1]journal.Move{m}}
}
