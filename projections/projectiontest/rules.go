package projectiontest

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

func testNamespaceRules(t *testing.T, open func(testing.TB) Opened) {
	s := newTale(t, open(t).Store)
	a, ab := ns("a"), ns("a", "b")
	s.refuse(projections.Conflict{Kind: projections.NamespaceMissing, Namespace: a, UUID: idOf(ab.Key())}, created(ab))
	s.tell(created(a), created(ab))
	again := created(ab)
	again.ID = idOf("another")
	s.refuse(projections.Conflict{
		Kind: projections.NamespaceExists, Namespace: ab, UUID: again.ID, Holder: idOf(ab.Key()),
	}, again)
	twin := created(ns("c"))
	twin.ID = idOf(a.Key())
	s.refuse(projections.Conflict{
		Kind: projections.UUIDTaken, Namespace: ns("c"), UUID: twin.ID, Holder: twin.ID,
	}, twin)

	s.refuse(projections.Conflict{Kind: projections.NamespaceNotEmpty, Namespace: a, UUID: idOf(a.Key())}, dropped(a))
	table := birth(journal.Table, ident("a", "b", "t"))
	s.tell(creates(table))
	s.refuse(projections.Conflict{Kind: projections.NamespaceNotEmpty, Namespace: ab, UUID: idOf(ab.Key())}, dropped(ab))
	s.tell(drops(drop(table)), dropped(ab), dropped(a))
	s.refuse(projections.Conflict{Kind: projections.NamespaceMissing, Namespace: a, UUID: idOf(a.Key())}, dropped(a))

	// Dropped and made again since an event was decided: it is another one now.
	successor := created(a)
	successor.ID = idOf("successor")
	s.tell(successor)
	missing := projections.Conflict{Kind: projections.NamespaceMissing, Namespace: a, UUID: idOf(a.Key())}
	s.refuse(missing, dropped(a))
	s.refuse(missing, journal.NamespaceUpdated{ID: idOf(a.Key()), Namespace: a, Updated: map[string]string{"k": "v"}})
}

func testObjectRules(t *testing.T, open func(testing.TB) Opened) {
	s := newTale(t, open(t).Store)
	table, view := birth(journal.Table, ident("a", "t")), birth(journal.View, ident("a", "v"))
	s.refuse(projections.Conflict{
		Kind: projections.NamespaceMissing, Namespace: ns("a"), Identifier: ident("a", "t"), UUID: table.UUID,
	}, creates(table))
	s.tell(created(ns("a")), created(ns("b")), creates(table), creates(view))

	// Names are unique over tables and views.
	for _, kind := range []journal.ObjectKind{journal.Table, journal.View} {
		for _, holder := range []journal.Move{table, view} {
			second := birth(kind, holder.To.Identifier)
			second.UUID = idOf("second")
			s.refuse(projections.Conflict{
				Kind: projections.NameTaken, Identifier: holder.To.Identifier, UUID: second.UUID,
				Object: holder.Kind, Holder: holder.UUID,
			}, creates(second))
		}
	}
	s.refuse(projections.Conflict{
		Kind: projections.NameTaken, Identifier: ident("a", "v"), UUID: table.UUID, Object: journal.View, Holder: view.UUID,
	}, renames(rename(table, ident("a", "v"))))
	s.refuse(projections.Conflict{
		Kind: projections.NamespaceMissing, Namespace: ns("c"), Identifier: ident("c", "t"), UUID: table.UUID,
	}, renames(rename(table, ident("c", "t"))))

	twin := birth(journal.Table, ident("a", "twin"))
	twin.UUID = table.UUID
	s.refuse(projections.Conflict{
		Kind: projections.UUIDTaken, Identifier: ident("a", "twin"), UUID: table.UUID, Holder: table.UUID,
	}, creates(twin))
	testFrom(s, table, twin)
}

// testFrom: every move starts where its object is.
func testFrom(s *tale, table, twin journal.Move) {
	missing := projections.Conflict{Kind: projections.ObjectMissing, Identifier: ident("a", "t"), UUID: table.UUID}
	asView := commit(table, 1)
	asView.Kind = journal.View
	s.refuse(missing, commits(asView))
	stranger := commit(table, 1)
	stranger.UUID = idOf("stranger")
	s.refuse(projections.Conflict{
		Kind: projections.ObjectMissing, Identifier: ident("a", "t"), UUID: stranger.UUID,
	}, commits(stranger))

	next := commit(table, 1)
	s.tell(commits(next))
	moved := projections.Conflict{Kind: projections.PointerMoved, Identifier: ident("a", "t"), UUID: table.UUID}
	s.refuse(moved, commits(commit(table, 2)))
	s.refuse(moved, drops(drop(table)))
	s.refuse(moved, renames(rename(table, ident("b", "t"))))
	for _, change := range []func(*journal.Pointer){ // the location alone proves nothing
		func(p *journal.Pointer) { p.SHA256 = journal.Sum(nil) },
		func(p *journal.Pointer) { p.DocumentSHA256 = journal.Sum(nil) },
		func(p *journal.Pointer) { p.Size++ },
		func(p *journal.Pointer) { p.Encoding = journal.EncodingNone },
	} {
		m := commit(next, 2)
		change(&m.From.Pointer)
		s.refuse(moved, commits(m))
	}

	renamed := rename(next, ident("b", "r"))
	s.tell(renames(renamed))
	s.none(ident("a", "t"))
	equal(s, "renamed", s.object(ident("b", "r")).Pointer, next.To.Pointer)
	s.refuse(missing, commits(commit(next, 2)))
	s.tell(drops(drop(renamed)))
	s.none(ident("b", "r"))
	gone := projections.Conflict{Kind: projections.ObjectMissing, Identifier: ident("b", "r"), UUID: table.UUID}
	s.refuse(gone, commits(commit(renamed, 2)))
	s.refuse(gone, drops(drop(renamed)))
	testReturn(s, renamed, twin)

	heir := birth(journal.View, ident("b", "r"))
	s.tell(creates(heir)) // the name is free
	equal(s, "heir", s.object(ident("b", "r")).UUID, heir.UUID)
}

// testReturn: what was dropped is not born again, only registered, and then it
// continues its history (formats §1).
func testReturn(s *tale, last, twin journal.Move) {
	taken := projections.Conflict{
		Kind: projections.UUIDTaken, Identifier: ident("a", "twin"), UUID: last.UUID, Holder: last.UUID,
	}
	s.refuse(taken, creates(twin))
	s.refuse(taken, commits(twin))
	asView := twin
	asView.Kind = journal.View
	s.refuse(taken, registers(asView))
	before, err := s.w.Steps(context.Background(), last.UUID)
	if err != nil {
		s.Fatal(err)
	}

	s.tell(registers(twin))
	equal(s, "returned", s.object(ident("a", "twin")).UUID, last.UUID)
	s.holds(twin, twin.To.Places[0].Path)
	s.refuse(taken, registers(twin)) // it is live
	over := commit(twin, 3)
	s.tell(registers(over))
	equal(s, "registered over it", s.object(ident("a", "twin")).Pointer, over.To.Pointer)
	s.refuse(projections.Conflict{
		Kind: projections.PointerMoved, Identifier: ident("a", "twin"), UUID: last.UUID,
	}, registers(commit(twin, 4)))

	s.tell(unregisters(drop(over)))
	s.none(ident("a", "twin"))
	s.holds(twin)
	s.tell(registers(born(over)), unregisters(drop(over)))
	steps, err := s.w.Steps(context.Background(), last.UUID)
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "its past", steps[:len(before)], before)
	equal(s, "steps", len(steps), len(before)+5)
}

func testManyMoves(t *testing.T, open func(testing.TB) Opened) {
	s := newTale(t, open(t).Store)
	one, two := birth(journal.Table, ident("a", "1")), birth(journal.Table, ident("a", "2"))
	s.tell(created(ns("a")), creates(one), creates(two))

	// All or none (case 119): refuse compares what is held before and after.
	s.refuse(projections.Conflict{Kind: projections.ObjectMissing, Identifier: ident("a", "3"), UUID: idOf("none")},
		commits(commit(one, 1), birth(journal.Table, ident("a", "new")), journal.Move{
			Kind: journal.Table, UUID: idOf("none"), From: &journal.From{Identifier: ident("a", "3")}, To: two.To,
		}))
	stale := commit(two, 1)
	stale.From.Pointer = pointer(two.UUID, 7)
	s.refuse(projections.Conflict{Kind: projections.PointerMoved, Identifier: ident("a", "2"), UUID: two.UUID},
		commits(commit(one, 1), stale))

	// In order: each move sees what those before it did, so that a table can give
	// its name and its place to the next.
	first := rename(commit(one, 1), ident("a", "old"))
	first.From = from(one)
	first.To.Places = places("//lake/spare/")
	second := rename(commit(two, 1), ident("a", "1"))
	second.From = from(two)
	second.To.Places = one.To.Places
	heir := birth(journal.Table, ident("a", "2"))
	heir.UUID = idOf("heir")
	s.refuse(projections.Conflict{
		Kind: projections.NameTaken, Identifier: ident("a", "1"), UUID: two.UUID, Object: journal.Table, Holder: one.UUID,
	}, commits(second, first, heir))
	s.tell(commits(first, second, heir))
	equal(s, "1", s.object(ident("a", "1")).UUID, two.UUID)
	equal(s, "2", s.object(ident("a", "2")).UUID, heir.UUID)
	equal(s, "old", s.object(ident("a", "old")).UUID, one.UUID)
	holders, err := s.w.Holders(context.Background(), ident("a", "1"))
	if err != nil {
		t.Fatal(err)
	}
	equal(s, "holders of 1", holders, []uuid.UUID{two.UUID, one.UUID})
}
