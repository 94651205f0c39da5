package projectiontest

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// testUndrop: what was dropped comes back with its uuid, history and pointer,
// under any free name; nothing else does.
func testUndrop(t *testing.T, open func(testing.TB) Opened) {
	for _, kind := range []journal.ObjectKind{journal.Table, journal.View} {
		s := newTale(t, open(t).Store)
		m := birth(kind, ident("a", "o"), "/w/o/")
		s.refuse(projections.Conflict{
			Kind: projections.ObjectMissing, Identifier: ident("a", "o"), UUID: m.UUID,
		}, undrops(m))
		s.tell(created(ns("a")), creates(m))
		taken := projections.Conflict{Kind: projections.UUIDTaken, Identifier: ident("a", "o"), UUID: m.UUID, Holder: m.UUID}
		s.refuse(taken, undrops(m))
		s.tell(drops(drop(m)))
		other := m
		if other.Kind = journal.View; kind == journal.View {
			other.Kind = journal.Table
		}
		s.refuse(taken, undrops(other))
		s.refuse(projections.Conflict{
			Kind: projections.PointerMoved, Identifier: ident("a", "o"), UUID: m.UUID,
		}, undrops(born(commit(m, 1))))

		heir := birth(journal.Table, ident("a", "o"), "/w/heir/")
		heir.UUID = idOf("heir")
		s.tell(creates(heir))
		s.refuse(projections.Conflict{
			Kind: projections.NameTaken, Identifier: ident("a", "o"), UUID: m.UUID, Object: journal.Table, Holder: heir.UUID,
		}, undrops(m))
		back := born(rename(m, ident("a", "back")))
		missing := born(rename(m, ident("b", "o")))
		s.refuse(projections.Conflict{
			Kind: projections.NamespaceMissing, Namespace: ns("b"), Identifier: ident("b", "o"), UUID: m.UUID,
		}, undrops(missing))
		s.tell(undrops(back))
		equal(s, "undropped", s.object(ident("a", "back")), projections.Object{
			Kind: kind, UUID: m.UUID, Identifier: ident("a", "back"), Pointer: m.To.Pointer, Location: m.To.Location,
		})
		s.holds(m, "/w/o/")
		s.kinds(m.UUID, creates(m).Kind(), drops(drop(m)).Kind(), undrops(m).Kind())
	}
}

// testRepoint: a repoint is a step like others.
func testRepoint(t *testing.T, open func(testing.TB) Opened) {
	for _, kind := range []journal.ObjectKind{journal.Table, journal.View} {
		s := newTale(t, open(t).Store)
		m := birth(kind, ident("a", "o"), "/w/o/")
		next := commit(m, 1)
		back := commit(next, 0)
		back.To.Places = places("/w/o/", "/w/more/")
		s.tell(created(ns("a")), creates(m), commits(next))
		s.refuse(projections.Conflict{
			Kind: projections.PointerMoved, Identifier: ident("a", "o"), UUID: m.UUID,
		}, repoints(commit(m, 2)))
		s.tell(repoints(back))
		equal(s, "repointed", s.object(ident("a", "o")).Pointer, m.To.Pointer)
		s.holds(m, "/w/more/", "/w/o/")
		s.kinds(m.UUID, creates(m).Kind(), commits(next).Kind(), repoints(back).Kind())
		s.tell(drops(drop(back)))
		s.refuse(projections.Conflict{
			Kind: projections.ObjectMissing, Identifier: ident("a", "o"), UUID: m.UUID,
		}, repoints(commit(back, 3)))
	}
}

// testCreated: only what a create or commit made was made here.
func testCreated(t *testing.T, open func(testing.TB) Opened) {
	s := newTale(t, open(t).Store)
	one, other := birth(journal.Table, ident("a", "1")), birth(journal.Table, ident("a", "2"))
	registered := commit(one, 1)
	made := commit(registered, 2)
	byHand := commit(made, 3)
	renamed := rename(byHand, ident("a", "r"))
	inTransaction := birth(journal.Table, ident("a", "3"))
	view := birth(journal.View, ident("a", "v"))
	s.tell(created(ns("a")), creates(one), registers(registered), commits(made), repoints(byHand), renames(renamed),
		commits(inTransaction, commit(renamed, 4)), creates(other), creates(view), dropsAndPurges(commit(renamed, 4)))
	s.tell(undrops(born(commit(renamed, 4))), repoints(commit(commit(renamed, 4), 5)))
	for n, want := range []bool{true, false, true, false, true, false, false} {
		s.made(one.UUID, pointer(one.UUID, n).MetadataLocation, want)
		s.made(other.UUID, pointer(one.UUID, n).MetadataLocation, false)
	}
	s.made(inTransaction.UUID, inTransaction.To.Pointer.MetadataLocation, true)
	s.made(other.UUID, other.To.Pointer.MetadataLocation, true)
	s.made(view.UUID, view.To.Pointer.MetadataLocation, false)
	exact := one.To.Pointer.MetadataLocation
	for _, location := range []string{"", exact + "/", exact[1:], "file:" + exact, exact + "\x00"} {
		s.made(one.UUID, location, false)
	}
	s.made(uuid.New(), exact, false)
}

// testPlaceHolder: who owns what a path lies in, and what lies below it.
func testPlaceHolder(t *testing.T, open func(testing.TB) Opened) {
	s := newTale(t, open(t).Store)
	one := birth(journal.Table, ident("a", "1"), "/w/a/", "/w/a/data/", "//lake/x%/")
	two := birth(journal.View, ident("a", "2"), "/w/b/c/")
	s.tell(created(ns("a")), creates(one), creates(two))
	for path, want := range map[string]uuid.UUID{
		"/w/a/": one.UUID, "/w/a": one.UUID, "/w/a/f.parquet": one.UUID, "/w/a/data/x/f.parquet": one.UUID,
		"/w/ab/": uuid.Nil, "/w/a.parquet": uuid.Nil, "/w/A/": uuid.Nil, "/w/a-/": uuid.Nil, "/w/a0": uuid.Nil,
		"/w/b/": two.UUID, "/w/b/d": uuid.Nil, "/w/b/c/d": two.UUID, "/w/": one.UUID, "/": one.UUID, "": one.UUID,
		"//lake/x%/f": one.UUID, "//lake/xy/f": uuid.Nil, "//lake/": one.UUID, "/lake/x%/f": uuid.Nil,
	} {
		s.holder(path, uuid.Nil, want)
	}
	s.holder("/w/a/f", one.UUID, uuid.Nil)
	s.holder("/w/", one.UUID, two.UUID)
	s.tell(dropsAndPurges(one))
	s.holder("/w/a/f", uuid.Nil, uuid.Nil)
	s.holder("/w/", uuid.Nil, two.UUID)
}

func (s *tale) kinds(object uuid.UUID, want ...journal.Kind) {
	s.Helper()
	steps, err := s.w.Steps(context.Background(), object)
	if err != nil {
		s.Fatal(err)
	}
	var got []journal.Kind
	for _, step := range steps {
		got = append(got, step.Kind)
	}
	equal(s, "its past", got, want)
}

func (s *tale) made(object uuid.UUID, location string, want bool) {
	s.Helper()
	if got, err := s.w.Created(context.Background(), object, location); err != nil || got != want {
		s.Errorf("%s made %q: %v, %v, want %v", object, location, got, err, want)
	}
}

func (s *tale) holder(path string, except, want uuid.UUID) {
	s.Helper()
	got, ok, err := s.w.PlaceHolder(context.Background(), path, except)
	if err != nil || got != want || ok != (want != uuid.Nil) {
		s.Errorf("%q but for %s is of %s, %v, %v, want %s", path, except, got, ok, err, want)
	}
}
