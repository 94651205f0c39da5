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
	{"namespace-missing", (*Story).orphan},
	{"namespace-missing", (*Story).strangeNamespace},
	{"namespace-not-empty", (*Story).dropFull},
	{"name-taken", (*Story).nameAgain},
	{"name-taken", (*Story).renameOnto},
	{"name-taken", (*Story).returnOnto},
	{"uuid-taken", (*Story).uuidAgain},
	{"uuid-taken", (*Story).createGone},
	{"uuid-taken", (*Story).returnAsOther},
	{"place-taken", (*Story).placeAgain},
	{"object-missing", (*Story).stranger},
	{"object-missing", (*Story).oldName},
	{"object-missing", (*Story).otherKind},
	{"pointer-moved", (*Story).stale},
	{"pointer-moved", (*Story).staleAmongOthers},
	{"object-missing", (*Story).undropStranger},
	{"uuid-taken", (*Story).undropLive},
	{"pointer-moved", (*Story).undropElsewhere},
	{"place-taken", (*Story).undropAtTaken},
	{"purge-missing", (*Story).purgeNothing},
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

func (s *Story) orphan(t *rapid.T) (journal.Body, bool) {
	id := journal.Identifier{Namespace: journal.Namespace{s.freeName()}, Name: "t"}
	return drawBirth(t, s.newcomer(drawKind(t), id)), true
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
