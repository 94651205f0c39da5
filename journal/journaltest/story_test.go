package journaltest

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
)

// fold is a second, plain reading of the rules, to check the stories against.
type fold struct {
	namespaces map[string]Namespace
	objects    map[uuid.UUID]Object
	kinds      map[uuid.UUID]journal.ObjectKind // of all that ever were
	purges     map[uuid.UUID]Purge
	left       map[uuid.UUID]journal.Pointer // where those that went were
	cancelled  int                           // pending purges of what came back
}

func newFold() *fold {
	return &fold{
		namespaces: map[string]Namespace{}, objects: map[uuid.UUID]Object{}, kinds: map[uuid.UUID]journal.ObjectKind{},
		purges: map[uuid.UUID]Purge{}, left: map[uuid.UUID]journal.Pointer{},
	}
}

// apply answers the rule that a draft breaks and then holds what it held.
func (f *fold) apply(d journal.Draft) string {
	switch b := d.Body.(type) {
	case journal.NamespaceCreated:
		return f.create(b)
	case journal.NamespaceUpdated:
		n, ok := f.namespaces[b.Namespace.Key()]
		if !ok {
			return "namespace-missing"
		}
		for _, key := range b.Removed {
			delete(n.Properties, key)
		}
		maps.Copy(n.Properties, b.Updated)
		return ""
	case journal.NamespaceDropped:
		return f.drop(b)
	case journal.TablePurged:
		p, ok := f.purges[b.Table]
		if !ok || p.Done || p.Drop != b.Drop {
			return "purge-missing"
		}
		p.Done = true
		f.purges[b.Table] = p
		return ""
	}
	before, kinds := maps.Clone(f.objects), maps.Clone(f.kinds)
	for _, m := range (journal.Event{Body: d.Body}).Moves() {
		if broken := f.move(m, string(d.Body.Kind())); broken != "" {
			f.objects, f.kinds = before, kinds
			return broken
		}
		if b, ok := d.Body.(journal.TableDropped); ok && b.Purge {
			f.purges[m.UUID] = Purge{Drop: d.ID, Object: before[m.UUID]}
		} else if m.From == nil {
			if p, asked := f.purges[m.UUID]; asked && !p.Done {
				f.cancelled++
			}
			delete(f.purges, m.UUID)
		}
	}
	return ""
}

func (f *fold) create(b journal.NamespaceCreated) string {
	if _, taken := f.namespaces[b.Namespace.Key()]; taken {
		return "namespace-exists"
	}
	parent := b.Namespace.Parent()
	if _, ok := f.namespaces[parent.Key()]; !ok && !parent.IsRoot() {
		return "namespace-missing"
	}
	n := Namespace{ID: b.ID, Name: b.Namespace, Properties: map[string]string{}}
	maps.Copy(n.Properties, b.Properties)
	f.namespaces[b.Namespace.Key()] = n
	return ""
}

func (f *fold) drop(b journal.NamespaceDropped) string {
	if _, ok := f.namespaces[b.Namespace.Key()]; !ok {
		return "namespace-missing"
	}
	for _, n := range f.namespaces {
		if n.Name.Parent().Equal(b.Namespace) {
			return "namespace-not-empty"
		}
	}
	for _, o := range f.objects {
		if o.To.Identifier.Namespace.Equal(b.Namespace) {
			return "namespace-not-empty"
		}
	}
	delete(f.namespaces, b.Namespace.Key())
	return ""
}

func (f *fold) move(m journal.Move, event string) string {
	held, live := f.objects[m.UUID]
	was, known := f.kinds[m.UUID]
	undrops := strings.HasSuffix(event, "-undropped")
	returns := undrops || strings.HasSuffix(event, "-registered")
	switch {
	case m.From == nil && (live || known && (!returns || was != m.Kind)):
		return "uuid-taken"
	case !known && undrops:
		return "object-missing"
	case undrops && m.To.Pointer != f.left[m.UUID]:
		return "pointer-moved"
	case m.From != nil && (!live || held.Kind != m.Kind || !held.To.Identifier.Equal(m.From.Identifier)):
		return "object-missing"
	case m.From != nil && held.To.Pointer != m.From.Pointer:
		return "pointer-moved"
	}
	delete(f.objects, m.UUID)
	if m.To == nil {
		f.left[m.UUID] = held.To.Pointer
		return ""
	}
	if _, ok := f.namespaces[m.To.Identifier.Namespace.Key()]; !ok {
		return "namespace-missing"
	}
	for _, o := range f.objects {
		if o.To.Identifier.Equal(m.To.Identifier) {
			return "name-taken"
		}
	}
	for _, o := range f.objects {
		if overlap(o.To.Places, m.To.Places) {
			return "place-taken"
		}
	}
	f.objects[m.UUID] = Object{Kind: m.Kind, UUID: m.UUID, To: *m.To}
	f.kinds[m.UUID] = m.Kind
	return ""
}

func overlap(a, b []journal.Place) bool {
	for _, p := range a {
		for _, q := range b {
			if strings.HasPrefix(p.Path, q.Path) || strings.HasPrefix(q.Path, p.Path) {
				return true
			}
		}
	}
	return false
}

func (f *fold) wantModel(t *rapid.T, s *Story) {
	objects := map[uuid.UUID]Object{}
	for _, o := range s.Objects {
		objects[o.UUID] = o
	}
	if diff := cmp.Diff(objects, f.objects, equal); diff != "" {
		t.Fatalf("objects (-model +fold):\n%s", diff)
	}
	if diff := cmp.Diff(s.Namespaces, f.namespaces, equal); diff != "" {
		t.Fatalf("namespaces (-model +fold):\n%s", diff)
	}
	if diff := cmp.Diff(s.Purges, f.purges, equal); diff != "" {
		t.Fatalf("purges (-model +fold):\n%s", diff)
	}
}

func TestStoriesDoNotContradictThemselves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := DrawStory(t, lake)
		f := newFold()
		locations := map[string]bool{}
		for i, d := range s.Drafts {
			if broken := f.apply(d); broken != "" {
				t.Fatalf("draft %d breaks %s: %+v", i, broken, d.Body)
			}
			if kind := string(d.Body.Kind()); strings.HasSuffix(kind, "-registered") || strings.HasSuffix(kind, "-undropped") {
				continue // the file was there
			}
			for _, m := range (journal.Event{Body: d.Body}).Moves() {
				if m.To == nil || m.From != nil && m.From.Pointer == m.To.Pointer {
					continue
				}
				if at := m.To.Pointer.MetadataLocation; locations[at] {
					t.Fatalf("draft %d creates %s again", i, at)
				} else {
					locations[at] = true
				}
			}
		}
		f.wantModel(t, s)
	})
}

// The same stories in every run, so that what is rare among them is always met.
func TestStoriesTellOfEverything(t *testing.T) {
	kinds := map[journal.Kind]bool{journal.KindHistoryImported: true} // it tells of another history: projectiontest makes such
	cancelled := 0
	stories := rapid.Custom(func(t *rapid.T) *Story { return DrawStory(t, lake) })
	for seed := range 200 {
		f := newFold()
		for _, d := range stories.Example(seed).Drafts {
			f.apply(d)
			kinds[d.Body.Kind()] = true
		}
		cancelled += f.cancelled
	}
	if cancelled == 0 {
		t.Error("no story cancels a purge")
	}
	for _, kind := range journal.Kinds() {
		if !kinds[kind] {
			t.Errorf("no story tells of %s", kind)
		}
	}
}

func TestConflictsBreakTheirRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		attempts, s := DrawConflicting(t, lake)
		f := newFold()
		var accepted []journal.Draft
		for i, a := range attempts {
			if broken := f.apply(a.Draft); broken != a.Breaks {
				t.Fatalf("attempt %d breaks %q, it says %q: %+v", i, broken, a.Breaks, a.Body)
			}
			if a.Breaks == "" {
				accepted = append(accepted, a.Draft)
			}
		}
		if diff := cmp.Diff(s.Drafts, accepted, equal); diff != "" {
			t.Fatalf("accepted drafts (-story +attempts):\n%s", diff)
		}
		f.wantModel(t, s)
	})
}

// The same attempts in every run, as it is for the stories.
func TestEveryRuleIsBroken(t *testing.T) {
	broken := map[string]bool{}
	mixed := rapid.Custom(func(t *rapid.T) []Attempt {
		attempts, _ := DrawConflicting(t, lake)
		return attempts
	})
	for seed := range 200 {
		for _, a := range mixed.Example(seed) {
			broken[a.Breaks] = true
		}
	}
	for _, c := range conflicts {
		if !broken[c.breaks] {
			t.Errorf("no attempt breaks %s", c.breaks)
		}
	}
}

func TestEntriesAreRepeatable(t *testing.T) {
	first, second := Entries(t, sales(lake).Drafts, Start), Entries(t, sales(lake).Drafts, Start)
	if diff := cmp.Diff(first, second, cmpopts.IgnoreUnexported(journal.Entry{})); diff != "" {
		t.Errorf("the same story gives two histories:\n%s", diff)
	}
}

func TestFaulty(t *testing.T) {
	entries := Entries(t, sales(lake).Drafts, Start)
	for _, fault := range []Fault{None, Refused, UnknownDone, UnknownLost} {
		under := journal.NewMemory()
		Append(t, under, entries[:1])
		j := Faulty(under, func(n int) Fault {
			if n == 2 {
				return fault
			}
			return None
		})
		Append(t, j, entries[1:2])
		err := j.Append(t.Context(), entries[2])
		_, done, _ := under.Warehouse(lake).Find(t.Context(), entries[2].Event.ID)
		after := j.Append(t.Context(), entries[3])
		switch fault {
		case None:
			wantOutcome(t, err, nil, done, true)
		case Refused:
			wantOutcome(t, err, ErrInjected, done, false)
			wantError(t, "after a refusal", after, journal.ErrNotNext)
		case UnknownDone:
			wantOutcome(t, err, journal.ErrUnknownOutcome, done, true)
			wantError(t, "after an unknown outcome", after, journal.ErrClosed)
		case UnknownLost:
			wantOutcome(t, err, journal.ErrUnknownOutcome, done, false)
			wantError(t, "after an unknown outcome", after, journal.ErrClosed)
		}
	}
}

func wantOutcome(t *testing.T, err, want error, done, wantDone bool) {
	t.Helper()
	wantError(t, "append", err, want)
	if done != wantDone {
		t.Errorf("append took effect: %v, want %v", done, wantDone)
	}
}
