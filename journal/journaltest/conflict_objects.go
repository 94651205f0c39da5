package journaltest

import (
	"pgregory.net/rapid"

	"puddle/journal"
)

func (s *Story) nameAgain(t *rapid.T) (journal.Body, bool) {
	if len(s.Objects) == 0 {
		return nil, false
	}
	return drawBirth(t, s.newcomer(drawKind(t), s.drawObject(t))), true
}

func (s *Story) renameOnto(t *rapid.T) (journal.Body, bool) {
	if len(s.Objects) < 2 {
		return nil, false
	}
	two := rapid.SliceOfNDistinct(rapid.SampledFrom(sortedKeys(s.Objects)), 2, 2, rapid.ID).Draw(t, "objects")
	return renamed(s.rename(s.Objects[two[0]].To.Identifier, s.Objects[two[1]].To.Identifier)), true
}

func (s *Story) returnOnto(t *rapid.T) (journal.Body, bool) {
	if len(s.Objects) == 0 || len(s.gone) == 0 {
		return nil, false
	}
	return s.drawReturn(t, s.returning(s.drawGone(t), s.drawObject(t))), true
}

// uuidAgain is a birth of what is live.
func (s *Story) uuidAgain(t *rapid.T) (journal.Body, bool) {
	if len(s.Objects) == 0 {
		return nil, false
	}
	taken := s.Objects[s.drawObject(t).Key()].UUID
	move := s.newcomer(drawKind(t), s.drawFree(t))
	move.UUID = taken
	return drawBirth(t, move), true
}

// createGone creates what is gone: only registering and undropping bring it back.
func (s *Story) createGone(t *rapid.T) (journal.Body, bool) {
	if len(s.gone) == 0 || len(s.Namespaces) == 0 {
		return nil, false
	}
	o := s.drawGone(t)
	move := s.newcomer(o.Kind, s.drawFree(t))
	move.UUID = o.UUID
	if o.Kind == journal.Table && rapid.Bool().Draw(t, "in a transaction") {
		return committed(move), true
	}
	return created(move), true
}

// returnAsOther brings back as a view what was a table, or the other way round.
func (s *Story) returnAsOther(t *rapid.T) (journal.Body, bool) {
	if len(s.gone) == 0 || len(s.Namespaces) == 0 {
		return nil, false
	}
	o := s.drawGone(t)
	move := s.newcomer(other(o.Kind), s.drawFree(t))
	move.UUID = o.UUID
	return s.drawReturn(t, move), true
}

func (s *Story) placeAgain(t *rapid.T) (journal.Body, bool) {
	if len(s.Objects) == 0 {
		return nil, false
	}
	held := s.Objects[s.drawObject(t).Key()].To.Places
	path := rapid.SampledFrom(held).Draw(t, "held").Path
	move := s.newcomer(drawKind(t), s.drawFree(t))
	move.To.Places[0].Path = rapid.SampledFrom([]string{path, path + "below/", "//lake/"}).Draw(t, "path")
	return drawBirth(t, move), true
}

// stranger drops, unregisters or moves an object that was never there.
func (s *Story) stranger(t *rapid.T) (journal.Body, bool) {
	if len(s.Namespaces) == 0 {
		return nil, false
	}
	move := s.newcomer(drawKind(t), s.drawFree(t))
	move.From = &journal.From{Identifier: move.To.Identifier, Pointer: move.To.Pointer}
	return drawStep(t, move), true
}

// oldName moves an object under a name it does not have.
func (s *Story) oldName(t *rapid.T) (journal.Body, bool) {
	if len(s.Objects) == 0 {
		return nil, false
	}
	move := s.commit(s.drawObject(t))
	move.From.Identifier.Name = s.freeName()
	move.To.Identifier.Name = move.From.Identifier.Name
	return drawStep(t, move), true
}

// otherKind moves a table as a view, or a view as a table.
func (s *Story) otherKind(t *rapid.T) (journal.Body, bool) {
	if len(s.Objects) == 0 {
		return nil, false
	}
	move := s.commit(s.drawObject(t))
	move.Kind = other(move.Kind)
	return drawStep(t, move), true
}

// stale moves an object from a pointer it does not have.
func (s *Story) stale(t *rapid.T) (journal.Body, bool) {
	if len(s.Objects) == 0 {
		return nil, false
	}
	return drawStep(t, spoilt(s.commit(s.drawObject(t)))), true
}

// staleAmongOthers is a commit of two tables of which only the second is stale:
// nothing of the first may be left behind.
func (s *Story) staleAmongOthers(t *rapid.T) (journal.Body, bool) {
	tables := s.keys(journal.Table)
	if len(tables) < 2 {
		return nil, false
	}
	two := rapid.SliceOfNDistinct(rapid.SampledFrom(tables), 2, 2, rapid.ID).Draw(t, "tables")
	first, second := s.commit(s.Objects[two[0]].To.Identifier), s.commit(s.Objects[two[1]].To.Identifier)
	return committed(first, spoilt(second)), true
}

// spoilt is a move from a pointer that was never there.
func spoilt(m journal.Move) journal.Move {
	m.From.Pointer.MetadataLocation += ".stale"
	m.From.Pointer.SHA256 = journal.Sum([]byte("stale"))
	return m
}

// drawStep draws the body of a move that has both ends: any that can hold it, or
// its beginning.
func drawStep(t *rapid.T, m journal.Move) journal.Body {
	end := m
	end.To = nil
	bodies := []journal.Body{committed(m), renamed(m), repointed(m, "by hand"), dropped(end, false)}
	if m.Kind == journal.Table {
		bodies = append(bodies, registered(m), unregistered(end), dropped(end, true))
	}
	return rapid.SampledFrom(bodies).Draw(t, "how")
}

// drawBirth draws the body of a birth: any that can hold it.
func drawBirth(t *rapid.T, m journal.Move) journal.Body {
	bodies := []journal.Body{created(m), registered(m)}
	if m.Kind == journal.Table {
		bodies = append(bodies, committed(m))
	}
	return rapid.SampledFrom(bodies).Draw(t, "how")
}

func drawKind(t *rapid.T) journal.ObjectKind {
	return rapid.SampledFrom([]journal.ObjectKind{journal.Table, journal.View}).Draw(t, "kind")
}

func other(kind journal.ObjectKind) journal.ObjectKind {
	if kind == journal.View {
		return journal.Table
	}
	return journal.View
}

// newcomer is the birth of an object at a place that nobody has or had.
func (s *Story) newcomer(kind journal.ObjectKind, id journal.Identifier) journal.Move {
	vacant := s.vacant
	s.vacant = nil
	move := s.birth(kind, id)
	s.vacant = vacant
	return move
}
