package journaltest

import (
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
)

// Attempt is a draft that may contradict what was accepted before it.
type Attempt struct {
	journal.Draft
	// Breaks is the one rule it breaks, in the words of projections.ConflictKind;
	// empty when it must be accepted.
	Breaks string
}

// DrawConflicting draws a story mixed with drafts that break one rule each. Who
// takes the attempts in order must refuse exactly those, and then holds the
// story's model. The story's own drafts are the accepted ones.
func DrawConflicting(t *rapid.T, warehouse uuid.UUID) ([]Attempt, *Story) {
	s := NewStory(warehouse)
	attempts := []Attempt{{Draft: s.Drafts[0]}}
	for range rapid.IntRange(0, 40).Draw(t, "steps") {
		if rapid.IntRange(0, 2).Draw(t, "conflict") == 0 {
			if a, ok := s.drawConflict(t); ok {
				attempts = append(attempts, a)
				continue
			}
		}
		s.drawStep(t)
		attempts = append(attempts, Attempt{Draft: s.Drafts[len(s.Drafts)-1]})
	}
	return attempts, s
}

// A conflict makes a body that breaks its rule; ok is false when the model has
// nothing to break it on.
type conflict struct {
	breaks string
	body   func(*Story, *rapid.T) (body journal.Body, ok bool)
}

var conflicts = []conflict{
	{"namespace-exists", (*Story).namespaceAgain},
	{"namespace-missing", (*Story).orphanNamespace},
	{"namespace-missing", (*Story).orphanTable},
	{"namespace-missing", (*Story).strangeNamespace},
	{"namespace-not-empty", (*Story).dropFull},
	{"name-taken", (*Story).tableAgain},
	{"name-taken", (*Story).renameOnto},
	{"uuid-taken", (*Story).uuidAgain},
	{"place-taken", (*Story).placeAgain},
	{"object-missing", (*Story).stranger},
	{"object-missing", (*Story).oldName},
	{"pointer-moved", (*Story).stale},
	{"pointer-moved", (*Story).staleAmongOthers},
}

func (s *Story) drawConflict(t *rapid.T) (Attempt, bool) {
	c := rapid.SampledFrom(conflicts).Draw(t, "rule")
	body, ok := c.body(s, t)
	if !ok {
		return Attempt{}, false
	}
	return Attempt{Draft: s.draft(body), Breaks: c.breaks}, true
}

func (s *Story) namespaceAgain(t *rapid.T) (journal.Body, bool) {
	if len(s.Namespaces) == 0 {
		return nil, false
	}
	n := s.Namespaces[rapid.SampledFrom(sortedKeys(s.Namespaces)).Draw(t, "taken")]
	return journal.NamespaceCreated{ID: s.mint(), Namespace: n.Name, Properties: map[string]string{"second": "yes"}}, true
}

func (s *Story) orphanNamespace(*rapid.T) (journal.Body, bool) {
	return journal.NamespaceCreated{ID: s.mint(), Namespace: journal.Namespace{s.freeName(), "child"}}, true
}

func (s *Story) strangeNamespace(t *rapid.T) (journal.Body, bool) {
	name := journal.Namespace{s.freeName()}
	if rapid.Bool().Draw(t, "drop") {
		return journal.NamespaceDropped{ID: s.mint(), Namespace: name}, true
	}
	return journal.NamespaceUpdated{ID: s.mint(), Namespace: name, Updated: map[string]string{"a": "b"}}, true
}

func (s *Story) orphanTable(*rapid.T) (journal.Body, bool) {
	id := journal.Identifier{Namespace: journal.Namespace{s.freeName()}, Name: "t"}
	return journal.TableCreated{Moves: [1]journal.Move{s.newcomer(id)}}, true
}

func (s *Story) dropFull(t *rapid.T) (journal.Body, bool) {
	var full []Namespace
	for _, key := range sortedKeys(s.Namespaces) {
		if n := s.Namespaces[key]; !s.IsEmpty(n.Name) {
			full = append(full, n)
		}
	}
	if len(full) == 0 {
		return nil, false
	}
	n := rapid.SampledFrom(full).Draw(t, "full")
	return journal.NamespaceDropped{ID: n.ID, Namespace: n.Name}, true
}

func (s *Story) tableAgain(t *rapid.T) (journal.Body, bool) {
	if len(s.Tables) == 0 {
		return nil, false
	}
	move := s.newcomer(s.drawTable(t))
	if rapid.Bool().Draw(t, "in a transaction") {
		return journal.TablesCommitted{Moves: []journal.Move{move}}, true
	}
	return journal.TableCreated{Moves: [1]journal.Move{move}}, true
}

func (s *Story) renameOnto(t *rapid.T) (journal.Body, bool) {
	if len(s.Tables) < 2 {
		return nil, false
	}
	two := rapid.SliceOfNDistinct(rapid.SampledFrom(sortedKeys(s.Tables)), 2, 2, rapid.ID).Draw(t, "tables")
	move := s.rename(s.Tables[two[0]].To.Identifier, s.Tables[two[1]].To.Identifier)
	return journal.TableRenamed{Moves: [1]journal.Move{move}}, true
}

func (s *Story) uuidAgain(t *rapid.T) (journal.Body, bool) {
	if len(s.Tables) == 0 {
		return nil, false
	}
	taken := s.Tables[s.drawTable(t).Key()].UUID
	move := s.newcomer(s.drawFree(t))
	move.UUID = taken
	return journal.TableCreated{Moves: [1]journal.Move{move}}, true
}

func (s *Story) placeAgain(t *rapid.T) (journal.Body, bool) {
	if len(s.Tables) == 0 {
		return nil, false
	}
	held := s.Tables[s.drawTable(t).Key()].To.Places
	path := rapid.SampledFrom(held).Draw(t, "held").Path
	move := s.newcomer(s.drawFree(t))
	move.To.Places[0].Path = rapid.SampledFrom([]string{path, path + "below/", "//lake/"}).Draw(t, "path")
	return journal.TableCreated{Moves: [1]journal.Move{move}}, true
}

// stranger drops or commits a table that was never there.
func (s *Story) stranger(t *rapid.T) (journal.Body, bool) {
	if len(s.Namespaces) == 0 {
		return nil, false
	}
	move := s.newcomer(s.drawFree(t))
	move.From = &journal.From{Identifier: move.To.Identifier, Pointer: move.To.Pointer}
	if rapid.Bool().Draw(t, "drop") {
		move.To = nil
		return journal.TableDropped{Moves: [1]journal.Move{move}}, true
	}
	return journal.TablesCommitted{Moves: []journal.Move{move}}, true
}

// oldName commits a table under a name it does not have.
func (s *Story) oldName(t *rapid.T) (journal.Body, bool) {
	if len(s.Tables) == 0 {
		return nil, false
	}
	move := s.commit(s.drawTable(t))
	move.From.Identifier.Name = s.freeName()
	move.To.Identifier.Name = move.From.Identifier.Name
	return journal.TablesCommitted{Moves: []journal.Move{move}}, true
}

// stale commits, renames or drops from a pointer the table does not have.
func (s *Story) stale(t *rapid.T) (journal.Body, bool) {
	if len(s.Tables) == 0 {
		return nil, false
	}
	id := s.drawTable(t)
	move := s.commit(id)
	how := rapid.SampledFrom([]string{"commit", "rename", "drop"}).Draw(t, "how")
	switch how {
	case "rename":
		move = s.rename(id, journal.Identifier{Namespace: id.Namespace, Name: s.freeName()})
	case "drop":
		move = s.drop(id)
	}
	move.From.Pointer.MetadataLocation += ".stale"
	move.From.Pointer.SHA256 = journal.Sum([]byte("stale"))
	switch how {
	case "rename":
		return journal.TableRenamed{Moves: [1]journal.Move{move}}, true
	case "drop":
		return journal.TableDropped{Moves: [1]journal.Move{move}}, true
	}
	return journal.TablesCommitted{Moves: []journal.Move{move}}, true
}

// staleAmongOthers is a commit of two tables of which only the second is stale:
// nothing of the first may be left behind.
func (s *Story) staleAmongOthers(t *rapid.T) (journal.Body, bool) {
	if len(s.Tables) < 2 {
		return nil, false
	}
	two := rapid.SliceOfNDistinct(rapid.SampledFrom(sortedKeys(s.Tables)), 2, 2, rapid.ID).Draw(t, "tables")
	first, second := s.commit(s.Tables[two[0]].To.Identifier), s.commit(s.Tables[two[1]].To.Identifier)
	second.From.Pointer.MetadataLocation += ".stale"
	second.From.Pointer.SHA256 = journal.Sum([]byte("stale"))
	return journal.TablesCommitted{Moves: []journal.Move{first, second}}, true
}

// newcomer is the birth of a table at a place that nobody has or had.
func (s *Story) newcomer(id journal.Identifier) journal.Move {
	dropped := s.dropped
	s.dropped = nil
	move := s.birth(id)
	s.dropped = dropped
	return move
}
