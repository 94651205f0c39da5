package projectiontest

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

// testReads: what was told is what is answered.
func testReads(t *testing.T, open func(testing.TB) Opened) {
	ctx := context.Background()
	s := newTale(t, open(t).Store)
	a := created(ns("a"))
	a.Properties = map[string]string{"owner": "etl", "": "é\u2028", "gone": "1", "changed": "1"}
	s.tell(a, journal.NamespaceUpdated{
		ID: a.ID, Namespace: ns("a"), Removed: []string{"gone", "never there"},
		Updated: map[string]string{"changed": "2", "new": "3"},
	})
	want := map[string]string{"owner": "etl", "": "é\u2028", "changed": "2", "new": "3"}
	for range 2 { // the map is the caller's own
		n, err := s.w.Namespace(ctx, ns("a"))
		if err != nil {
			t.Fatal(err)
		}
		equal(s, "namespace", n, projections.Namespace{ID: a.ID, Name: ns("a"), Properties: want})
		n.Properties["owner"] = "somebody else"
	}
	s.tell(created(ns("bare")))
	if n, err := s.w.Namespace(ctx, ns("bare")); err != nil || n.Properties == nil || len(n.Properties) != 0 {
		t.Errorf("a namespace without properties: %v, %v", n, err)
	}

	view := birth(journal.View, ident("a", "v"))
	s.tell(creates(view))
	equal(s, "view", s.object(ident("a", "v")), projections.Object{
		Kind: journal.View, UUID: view.UUID, Identifier: ident("a", "v"), Pointer: view.To.Pointer, Location: view.To.Location,
	})
	for _, missing := range []journal.Namespace{ns("b"), ns("a", "b"), ns("A"), ns(), ns("a\x1fb"), ns("")} {
		if _, err := s.w.Namespace(ctx, missing); !errors.Is(err, projections.ErrNoNamespace) {
			t.Errorf("namespace %q: %v", missing, err)
		}
		if _, err := s.w.Objects(ctx, missing, journal.Table, projections.Page{}); !errors.Is(err, projections.ErrNoNamespace) {
			t.Errorf("objects of %q: %v", missing, err)
		}
		if _, err := s.w.Children(ctx, missing, projections.Page{}); !missing.IsRoot() && !errors.Is(err, projections.ErrNoNamespace) {
			t.Errorf("children of %q: %v", missing, err)
		}
		s.none(journal.Identifier{Namespace: missing, Name: "v"})
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.w.Object(canceled, ident("a", "v")); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
}

// testOwnCopies: what was applied is no longer the event's.
func testOwnCopies(t *testing.T, open func(testing.TB) Opened) {
	s := newTale(t, open(t).Store)
	n := created(ns("a", "b"))
	n.Properties = map[string]string{"k": "v"}
	snapshot := int64(1)
	one := birth(journal.Table, ident("a", "b", "t"))
	two := commit(one, 1)
	two.SnapshotID = &snapshot
	asked := birth(journal.Table, ident("a", "b", "asked"))
	s.tell(created(ns("a")), n, creates(one), commits(two), creates(asked), dropsAndPurges(asked))
	before := dump(s, s.w)
	purge, _, err := s.w.Purge(context.Background(), asked.UUID)
	if err != nil {
		t.Fatal(err)
	}
	purge.Identifier.Namespace[0], purge.Places[0].Path = "x", "/x/"
	n.Namespace[1], n.Properties["k"], snapshot = "x", "x", 2
	one.To.Identifier.Namespace[0], one.To.Places[0].Path = "x", "/x/"
	two.From.Pointer, two.To.Pointer, two.To.Location = journal.Pointer{}, journal.Pointer{}, "x"
	equal(s, "after the event was changed", dump(s, s.w), before)
	equal(s, "namespace", before.Namespaces[1], projections.Namespace{
		ID: n.ID, Name: ns("a", "b"), Properties: map[string]string{"k": "v"},
	})
	i := slices.IndexFunc(before.Objects, func(o projections.HeldObject) bool { return o.UUID == one.UUID })
	equal(s, "identifier", before.Objects[i].Identifier, ident("a", "b", "t"))
	i = slices.IndexFunc(before.Steps, func(s projections.Step) bool { return s.Move.UUID == one.UUID })
	equal(s, "step", before.Steps[i].Move.To.Identifier, ident("a", "b", "t"))
	equal(s, "snapshot", *before.Steps[i+1].Move.SnapshotID, int64(1))
}

// testPages: cases 87 and 96.
func testPages(t *testing.T, open func(testing.TB) Opened) {
	ctx := context.Background()
	s := newTale(t, open(t).Store)
	in := ns("a%")
	// In the order of bytes; none of them is a pattern.
	names := []string{"%", "A", "_", "a", "a%", "a'", "a.b", "aXb", "a_b", "a~", "b", "é", "\U0001F986"}
	s.tell(created(in), created(ns("a")), created(ns("aX")), created(ns("a", "child")))
	for i := range names {
		name := names[(i*5)%len(names)] // not in order
		s.tell(created(ns("a%", name)), creates(birth(journal.Table, ident("a%", name))))
		s.tell(created(ns("a%", name, "grandchild")), creates(birth(journal.View, ident("a%", "view of "+name))))
		s.tell(creates(birth(journal.Table, ident("a", "other "+name))))
	}
	lists := map[string]func(projections.Page) ([]string, error){
		"children": func(p projections.Page) ([]string, error) { return s.w.Children(ctx, in, p) },
		"tables":   func(p projections.Page) ([]string, error) { return s.w.Objects(ctx, in, journal.Table, p) },
	}
	for what, list := range lists {
		page := func(after string, limit int, want []string) {
			t.Helper()
			got, err := list(projections.Page{After: after, Limit: limit})
			if err != nil || got == nil {
				t.Fatalf("%s after %q: %v, %v", what, after, got, err)
			}
			equal(s, what+" after "+after, got, want)
		}
		page("", 0, names)
		page("", len(names), names)
		page("", len(names)+1, names)
		page(names[len(names)-1], 0, nil)
		page(names[len(names)-1], 3, nil)
		page("aa", 2, []string{"a~", "b"}) // after a name that is not there
		for limit := 1; limit < 4; limit++ {
			for i := range names {
				page(names[i], limit, names[i+1:min(i+1+limit, len(names))])
			}
		}
	}
	root, err := s.w.Children(ctx, nil, projections.Page{Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	equal(s, "children of the root", root, []string{"a", "a%", "aX"})
	views, err := s.w.Objects(ctx, in, journal.View, projections.Page{After: "view of a", Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	equal(s, "views", views, []string{"view of a%", "view of a'"})
	s.tell(drops(drop(birth(journal.Table, ident("a%", "aXb")))))
	tables, err := s.w.Objects(ctx, in, journal.Table, projections.Page{After: "aXb", Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	equal(s, "after one that was dropped between pages", tables, []string{"a_b"})
}

// testNames: names are exact bytes (cases 83, 96).
func testNames(t *testing.T, open func(testing.TB) Opened) {
	s := newTale(t, open(t).Store)
	long := strings.Repeat("n", journal.MaxLevelBytes)
	odd := []string{
		"a.b", "a", "A", "\u00e9", "e\u0301", "%", "_", "a%2Fb", "a/b", "a b", " ", "'", `"`, `\`, "null", "1", "1.0", "01",
		"_puddle", "...", "-", "\U0001F986", "\u2028", long, "-- ;",
	}
	var deep journal.Namespace
	for range journal.MaxLevels {
		deep = append(deep, "d")
		s.tell(created(deep))
	}
	for _, level := range odd {
		s.tell(created(ns(level)), creates(birth(journal.Table, ident(level, level))))
		for _, name := range odd {
			if name != level {
				s.none(ident(level, name))
			}
		}
	}
	s.tell(created(ns("a", "b")), creates(birth(journal.Table, ident("a", "b", "t"))))
	s.tell(creates(birth(journal.Table, ident("a.b", "t"))))
	s.tell(creates(birth(journal.Table, named(deep, long))))
	for _, level := range odd {
		equal(s, level, s.object(ident(level, level)).Identifier, ident(level, level))
		n, err := s.w.Namespace(context.Background(), ns(level))
		if err != nil {
			t.Fatal(err)
		}
		equal(s, level, n.Name, ns(level))
	}
	equal(s, "deep", s.object(named(deep, long)).Identifier, named(deep, long))
	equal(s, "[a.b] t", s.object(ident("a.b", "t")).UUID, idOf(ident("a.b", "t").Key()))
	equal(s, "[a b] t", s.object(ident("a", "b", "t")).UUID, idOf(ident("a", "b", "t").Key()))
	s.none(journal.Identifier{Namespace: ns("a"), Name: "b\x1ft"})
	s.none(journal.Identifier{Namespace: ns("a\x1fb"), Name: "t"})
}

func named(n journal.Namespace, name string) journal.Identifier {
	return journal.Identifier{Namespace: n, Name: name}
}

// testHistory: steps and holders, through renames and drops.
func testHistory(t *testing.T, open func(testing.TB) Opened) {
	ctx := context.Background()
	s := newTale(t, open(t).Store)
	one := birth(journal.Table, ident("a", "t"), "/w/1/")
	second := commit(one, 1)
	snapshot := int64(4598286611352242712) // float64 would make ...240 of it (case 14)
	second.SnapshotID = &snapshot
	third := commit(second, 2)
	largest := int64(math.MaxInt64)
	third.SnapshotID = &largest
	renamed := rename(third, ident("a", "old"))
	s.tell(created(ns("a")), creates(one), commits(second), commits(third), renames(renamed))
	two := birth(journal.View, ident("a", "t"))
	two.UUID = idOf("two")
	s.tell(creates(two), renames(rename(two, ident("a", "elsewhere"))))
	s.tell(renames(rename(renamed, ident("a", "t"))), drops(drop(rename(renamed, ident("a", "t")))))

	steps, err := s.w.Steps(ctx, one.UUID)
	if err != nil {
		t.Fatal(err)
	}
	var want []projections.Step
	for _, e := range s.told {
		for _, m := range e.Moves() {
			if m.UUID != one.UUID {
				continue
			}
			m.Updates = nil
			if m.To != nil {
				to := *m.To
				to.Places = nil
				m.To = &to
			}
			want = append(want, projections.Step{
				Seq: e.Seq, Event: e.ID, At: e.At, Kind: e.Kind(), Actor: "token:etl", RequestID: "r1", Move: m,
			})
		}
	}
	equal(s, "steps", steps, want)
	if steps[0].At.Location() != time.UTC || !steps[0].At.Equal(journaltest.Start) {
		t.Errorf("at: %v", steps[0].At)
	}
	s.checkLast(one.UUID, want[len(want)-1])
	for name, want := range map[string][]uuid.UUID{
		"t":         {one.UUID, two.UUID}, // has had it twice, and is dropped now
		"old":       {one.UUID},
		"elsewhere": {two.UUID},
		"never":     nil,
	} {
		got, err := s.w.Holders(ctx, ident("a", name))
		if err != nil {
			t.Fatal(err)
		}
		equal(s, "holders of "+name, got, want)
	}
	if got, err := s.w.Holders(ctx, journal.Identifier{Namespace: ns("a\x1ft"), Name: "t"}); err != nil || len(got) != 0 {
		t.Errorf("holders of a name that cannot be: %v, %v", got, err)
	}
	if got, err := s.w.Steps(ctx, uuid.New()); err != nil || len(got) != 0 {
		t.Errorf("steps of an object that never was: %v, %v", got, err)
	}
	held := dump(s, s.w)
	for _, o := range held.Objects {
		if o.UUID == one.UUID && (!o.Dropped || o.Pointer != third.To.Pointer || o.Identifier.Name != "t" || len(o.Places) != 0) {
			t.Errorf("what is kept of a dropped object: %+v", o)
		}
	}
}

// checkLast: the last step is one of a whole, and none of what never was.
func (s *tale) checkLast(object uuid.UUID, want projections.Step) {
	s.Helper()
	got, ok, err := s.w.LastStep(context.Background(), object)
	if err != nil || !ok {
		s.Errorf("last step: %v, %v", ok, err)
	}
	equal(s, "last step", got, want)
	if got, ok, err := s.w.LastStep(context.Background(), uuid.New()); ok || err != nil {
		s.Errorf("last step of an object that never was: %v, %v, %v", got, ok, err)
	}
}
