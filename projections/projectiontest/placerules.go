package projectiontest

import (
	"context"
	"testing"

	"puddle/journal"
	"puddle/projections"
)

// testPlaceRules: no two objects' places are the same or nest, by whole
// segments (cases 130, 140).
func testPlaceRules(t *testing.T, open func(testing.TB) Opened) {
	for _, test := range []struct {
		name     string
		held     []string
		asked    []string
		conflict string // the path that is refused
	}{
		{"same", []string{"/w/a/"}, []string{"/w/a/"}, "/w/a/"},
		{"below", []string{"/w/a/"}, []string{"/w/a/b/"}, "/w/a/b/"},
		{"far below", []string{"/w/a/"}, []string{"/w/a/b/c/d/"}, "/w/a/b/c/d/"},
		{"above", []string{"/w/a/b/"}, []string{"/w/a/"}, "/w/a/"},
		{"far above", []string{"/w/a/b/c/"}, []string{"/w/"}, "/w/"},
		{"bucket", []string{"//lake/a/"}, []string{"//lake/"}, "//lake/"},
		{"prefix twins", []string{"/w/a/"}, []string{"/w/ab/"}, ""},
		{"prefix twins below", []string{"/w/a/b/"}, []string{"/w/ab/"}, ""},
		{"twins around the slash", []string{"/w/a/"}, []string{"/w/a-/", "/w/a./", "/w/a0/"}, ""},
		{"siblings", []string{"/w/a/x/"}, []string{"/w/a/y/"}, ""},
		{"file is not S3", []string{"/lake/a/"}, []string{"//lake/a/"}, ""},
		{"wild cards", []string{"/w/a%/", "/w/_/"}, []string{"/w/a/", "/w/ab/", "/w/b/"}, ""},
		{"case", []string{"/w/A/"}, []string{"/w/a/"}, ""},
		{"second of two", []string{"/w/a/"}, []string{"/w/b/", "/w/a/c/"}, "/w/a/c/"},
		{"first by bytes", []string{"/w/a/"}, []string{"/w/a/z/", "/w/a/c/"}, "/w/a/c/"},
		{"own nest", nil, []string{"/w/a/", "/w/a/data/", "/w/"}, ""},
		{"none", []string{}, []string{}, ""},
		{"quotes", []string{`/w/"'\/`}, []string{`/w/"'\/b/`}, `/w/"'\/b/`},
		{"characters", []string{"/w/é\u2028🦆/"}, []string{"/w/é\u2028🦆/x/"}, "/w/é\u2028🦆/x/"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newTale(t, open(t).Store)
			holder := birth(journal.Table, ident("a", "holder"), append([]string{}, test.held...)...)
			asker := birth(journal.View, ident("a", "asker"), test.asked...)
			s.tell(created(ns("a")), creates(holder))
			if test.conflict == "" {
				s.tell(creates(asker))
				return
			}
			s.refuse(projections.Conflict{
				Kind: projections.PlaceTaken, Identifier: ident("a", "asker"), UUID: asker.UUID,
				Path: test.conflict, Holder: holder.UUID,
			}, creates(asker))
		})
	}
	t.Run("Changes", func(t *testing.T) { testPlaceChanges(t, open) })
	t.Run("Together", func(t *testing.T) { testPlacesTogether(t, open) })
}

// testPlaceChanges: places move with commits, stay with renames and are free
// after a drop.
func testPlaceChanges(t *testing.T, open func(testing.TB) Opened) {
	s := newTale(t, open(t).Store)
	one := birth(journal.Table, ident("a", "1"), "/w/1/", "/w/1/data/")
	two := birth(journal.Table, ident("a", "2"), "/w/2/")
	s.tell(created(ns("a")), creates(one), creates(two))
	s.holds(one, "/w/1/", "/w/1/data/")

	grown := commit(two, 1)
	grown.To.Places = places("/w/2/", "/w/1/data/x/")
	s.refuse(projections.Conflict{
		Kind: projections.PlaceTaken, Identifier: ident("a", "2"), UUID: two.UUID, Path: "/w/1/data/x/", Holder: one.UUID,
	}, commits(grown))

	moved := commit(one, 1)
	moved.To.Places = places("/w/new/", "/w/1/data/")
	s.tell(commits(moved))
	s.holds(one, "/w/1/data/", "/w/new/")
	renamed := rename(moved, ident("a", "r"))
	s.tell(renames(renamed))
	s.holds(one, "/w/1/data/", "/w/new/")

	above := commit(two, 1)
	above.To.Places = places("/w/1/")
	s.refuse(projections.Conflict{ // /w/1/ is free, what is below it is not
		Kind: projections.PlaceTaken, Identifier: ident("a", "2"), UUID: two.UUID, Path: "/w/1/", Holder: one.UUID,
	}, commits(above))
	s.tell(drops(drop(renamed)))
	s.holds(one)
	s.tell(commits(above))
	s.holds(two, "/w/1/")

	bare := commit(above, 2)
	bare.To.Places = nil
	s.tell(commits(bare))
	s.holds(two)

	// One path has one role: the first that is named.
	both := commit(bare, 3)
	both.To.Places = []journal.Place{{Path: "/w/2/", Role: "location"}, {Path: "/w/2/", Role: "write.data.path"}}
	s.tell(commits(both))
	owned, err := s.w.Places(context.Background(), two.UUID)
	if err != nil {
		t.Fatal(err)
	}
	equal(s, "places", owned, []journal.Place{{Path: "/w/2/", Role: "location"}})

	odd := commit(both, 4)
	odd.To.Places = places("/w/not-a-folder")
	before := dump(s, s.w)
	if err := s.w.Apply(context.Background(), s.event(commits(odd))); err == nil {
		t.Fatal("a place that does not end in a slash was taken")
	}
	equal(s, "what is held", dump(s, s.w), before)
}

// testPlacesTogether: what counts is who owns what after all moves of an event
// (case 133).
func testPlacesTogether(t *testing.T, open func(testing.TB) Opened) {
	s := newTale(t, open(t).Store)
	one := birth(journal.Table, ident("a", "1"), "/w/1/", "/w/kept/")
	two := birth(journal.Table, ident("a", "2"), "/w/2/")
	s.tell(created(ns("a")), creates(one), creates(two))
	changed := func(m journal.Move, n int, paths ...string) journal.Move {
		next := commit(m, n)
		next.To.Places = places(paths...)
		return next
	}
	s.refuse(projections.Conflict{
		Kind: projections.PlaceTaken, Identifier: ident("a", "2"), UUID: two.UUID, Path: "/w/kept/x/", Holder: one.UUID,
	}, commits(changed(one, 1, "/w/kept/"), changed(two, 1, "/w/kept/x/")))
	s.refuse(projections.Conflict{
		Kind: projections.PlaceTaken, Identifier: ident("a", "2"), UUID: two.UUID, Path: "/w/new/", Holder: one.UUID,
	}, commits(changed(one, 1, "/w/new/x/"), changed(two, 1, "/w/new/")))
	stale := changed(one, 1, "/w/kept/")
	stale.From.Pointer = pointer(one.UUID, 7)
	s.refuse(projections.Conflict{
		Kind: projections.PointerMoved, Identifier: ident("a", "1"), UUID: one.UUID,
	}, commits(changed(two, 1, "/w/1/"), stale))

	one, two = changed(one, 1, "/w/kept/", "/w/2/"), changed(two, 1, "/w/1/")
	s.tell(commits(two, one))
	s.holds(one, "/w/2/", "/w/kept/")
	s.holds(two, "/w/1/")
	one, two = changed(one, 2, "/w/1/"), changed(two, 2, "/w/kept/below/")
	s.tell(commits(one, two))
	s.holds(one, "/w/1/")
	s.holds(two, "/w/kept/below/")
}

// holds checks the paths that an object owns.
func (s *tale) holds(m journal.Move, paths ...string) {
	s.Helper()
	owned, err := s.w.Places(context.Background(), m.UUID)
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "places", owned, places(paths...))
}
