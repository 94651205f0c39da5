package journaltest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
)

// oddNames are allowed and treacherous: dots and escapes, wild cards, the two
// forms of é (case 83), look-alikes, JSON and path syntax, the longest there is.
var oddNames = []string{
	"a", "b", "a.b", "a`b", "`", "A", "\u00e9", "e\u0301", "\U0001F986", "%", "_", "a_b", "a%2Fb", "a/b", "a+b", "a b",
	" ", "\u202e", "\u2028", "<&>", `"`, `\`, "null", "-1", "1e3", "_puddle", "...", strings.Repeat("n", journal.MaxLevelBytes),
}

// Name draws one level of a namespace or the name of an object.
func Name() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom(oddNames),
		rapid.StringMatching(`[a-z]{1,3}`),
		rapid.String().Filter(func(s string) bool { return journal.Namespace{s}.Check() == nil }),
	)
}

// Draw draws the drafts of a history that never contradicts itself, from the
// birth of the warehouse on: every From is what the object has then.
func Draw(t *rapid.T, warehouse uuid.UUID) []journal.Draft { return DrawStory(t, warehouse).Drafts }

// DrawStory is Draw with the model that the drafts fold to.
func DrawStory(t *rapid.T, warehouse uuid.UUID) *Story {
	s := NewStory(warehouse)
	for range rapid.IntRange(0, 40).Draw(t, "steps") {
		s.drawStep(t)
	}
	return s
}

// drawStep appends one draft; what the model does not allow now becomes the
// creation of a namespace.
func (s *Story) drawStep(t *rapid.T) {
	action := rapid.SampledFrom([]string{
		"object", "object", "object", "object", "object", "object", "object", "create-namespace", "update-namespace", "drop-namespace",
		"complete-recovery",
	}).Draw(t, "action")
	switch {
	case action == "update-namespace" && len(s.Namespaces) > 0:
		s.drawUpdate(t, s.Namespaces[rapid.SampledFrom(sortedKeys(s.Namespaces)).Draw(t, "namespace")])
	case action == "drop-namespace" && len(s.empty()) > 0:
		s.DropNamespace(rapid.SampledFrom(s.empty()).Draw(t, "empty"))
	case action == "object" && len(s.Namespaces) > 0:
		s.drawObjectStep(t)
	case action == "complete-recovery":
		s.CompleteRecovery()
	default:
		s.CreateNamespace(s.drawNewNamespace(t), drawProperties(t))
	}
}

// drawMany commits several tables at once, perhaps with a birth among them.
func (s *Story) drawMany(t *rapid.T, tables []string) {
	var ids []journal.Identifier
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(tables), 1, min(4, len(tables)), rapid.ID).Draw(t, "tables") {
		ids = append(ids, s.Objects[key].To.Identifier)
	}
	if rapid.Bool().Draw(t, "with a birth") {
		ids = append(ids, s.drawFree(t))
	}
	s.Commit(ids...)
}

func (s *Story) drawUpdate(t *rapid.T, n Namespace) {
	updated := drawProperties(t)
	var removed []string
	for _, key := range sortedKeys(n.Properties) {
		if _, set := updated[key]; !set && rapid.Bool().Draw(t, "remove") {
			removed = append(removed, key)
		}
	}
	s.UpdateNamespace(n.Name, removed, updated)
}

// keys are those of the live objects of a kind.
func (s *Story) keys(kind journal.ObjectKind) []string {
	return slices.DeleteFunc(sortedKeys(s.Objects), func(key string) bool { return s.Objects[key].Kind != kind })
}

func (s *Story) drawObject(t *rapid.T) journal.Identifier { return s.drawOf(t, sortedKeys(s.Objects)) }

func (s *Story) drawOf(t *rapid.T, keys []string) journal.Identifier {
	return s.Objects[rapid.SampledFrom(keys).Draw(t, "object")].To.Identifier
}

func (s *Story) drawGone(t *rapid.T) Object {
	return s.gone[rapid.IntRange(0, len(s.gone)-1).Draw(t, "gone")]
}

// drawFree draws an identifier that no live object has, in a namespace that is
// there.
func (s *Story) drawFree(t *rapid.T) journal.Identifier {
	in := s.Namespaces[rapid.SampledFrom(sortedKeys(s.Namespaces)).Draw(t, "in")].Name
	id := journal.Identifier{Namespace: in, Name: Name().Draw(t, "name")}
	if _, taken := s.Objects[id.Key()]; taken || id.Check() != nil {
		id.Name = s.freeName()
	}
	return id
}

// drawNewNamespace draws one that is not there, under a parent that is.
func (s *Story) drawNewNamespace(t *rapid.T) journal.Namespace {
	var parent journal.Namespace
	if keys := sortedKeys(s.Namespaces); len(keys) > 0 && rapid.Bool().Draw(t, "nested") {
		parent = s.Namespaces[rapid.SampledFrom(keys).Draw(t, "parent")].Name
	}
	name := child(parent, Name().Draw(t, "level"))
	if _, taken := s.Namespaces[name.Key()]; taken || !hasRoom(name) {
		name = child(parent, s.freeName())
	}
	if !hasRoom(name) {
		return journal.Namespace{s.freeName()}
	}
	return name
}

// hasRoom tells whether a namespace is within the limits and so is what freeName
// puts into it.
func hasRoom(n journal.Namespace) bool {
	return journal.Identifier{Namespace: n, Name: strings.Repeat("n", 64)}.Check() == nil
}

func drawProperties(t *rapid.T) map[string]string {
	return rapid.MapOfN(Name(), rapid.String(), 0, 3).Draw(t, "properties")
}

func (s *Story) empty() []journal.Namespace {
	var empty []journal.Namespace
	for _, key := range sortedKeys(s.Namespaces) {
		if name := s.Namespaces[key].Name; s.IsEmpty(name) {
			empty = append(empty, name)
		}
	}
	return empty
}

func (s *Story) freeName() string {
	s.mint()
	return fmt.Sprintf("free %d", s.minted)
}

func child(parent journal.Namespace, level string) journal.Namespace {
	return append(parent[:len(parent):len(parent)], level)
}
