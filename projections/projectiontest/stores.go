package projectiontest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"puddle/journal"
	"puddle/projections"
)

// testWarehouses: two in one store do not see each other.
func testWarehouses(t *testing.T, open func(testing.TB) Opened) {
	store := open(t).Store
	one, two := newTale(t, store), newTale(t, store)
	table := birth(journal.Table, ident("a", "t"), "/w/t/")
	for _, s := range []*tale{one, two} { // the same ids, names and places
		s.tell(created(ns("a")), creates(table))
	}
	one.tell(commits(commit(table, 1)))
	equal(one, "one", one.object(ident("a", "t")).Pointer, pointer(table.UUID, 1))
	equal(two, "two", two.object(ident("a", "t")).Pointer, pointer(table.UUID, 0))
	two.tell(drops(drop(table)))
	one.object(ident("a", "t"))
	one.holds(table, "/w/t/")
	before := dump(one, one.w)
	if err := two.w.Reset(context.Background()); err != nil {
		t.Fatal(err)
	}
	equal(one, "after the other's reset", dump(one, one.w), before)
	equal(two, "after its own", dump(two, two.w), projections.Dump{})
	apply(two, two.w, two.told...)
	two.none(ident("a", "t"))
}

// testConcurrent: readers beside the writer see whole events, in order.
func testConcurrent(t *testing.T, open func(testing.TB) Opened) {
	ctx := context.Background()
	s := newTale(t, open(t).Store)
	one, two := birth(journal.Table, ident("a", "1")), birth(journal.Table, ident("a", "2"))
	s.tell(created(ns("a")), creates(one), creates(two))
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			seen := int64(0)
			for {
				select {
				case <-done:
					return
				default:
				}
				held, err := s.w.Dump(ctx)
				if err != nil || len(held.Objects) != 2 {
					t.Errorf("%d objects, %v", len(held.Objects), err)
					return
				}
				first, second := held.Objects[0].Pointer.Size, held.Objects[1].Pointer.Size
				if first != second || first < seen {
					t.Errorf("sizes %d and %d after %d", first, second, seen)
					return
				}
				seen = first
				if o, err := s.w.Object(ctx, ident("a", "1")); err != nil || o.Pointer.Size < seen {
					t.Errorf("object at %d after %d: %v", o.Pointer.Size, seen, err)
					return
				}
			}
		})
	}
	for n := range 50 {
		nextOne, nextTwo := commit(one, n+1), commit(two, n+1)
		s.tell(commits(nextOne, nextTwo))
		one, two = nextOne, nextTwo
	}
	close(done)
	readers.Wait()
}

// testReopen: what was committed is there when the store is opened again, and
// goes on.
func testReopen(t *testing.T, open func(testing.TB) Opened) {
	opened := open(t)
	if opened.Reopen == nil {
		return // it keeps nothing
	}
	s := newTale(t, opened.Store)
	s.tell(created(ns("a")))
	for i := range 20 {
		s.tell(creates(birth(journal.Table, ident("a", fmt.Sprint(i)))))
	}
	before := dump(s, s.w)
	tx := begin(s, s.store)
	if err := tx.Apply(context.Background(), s.event(created(ns("b")))); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	s.store = opened.Reopen()
	s.w = s.store.Warehouse(s.chain.Warehouse)
	equal(s, "opened again", dump(s, s.w), before)
	s.tell(created(ns("b")))
	s.refuse(projections.Conflict{
		Kind: projections.NamespaceNotEmpty, Namespace: ns("a"), UUID: idOf("a"),
	}, dropped(ns("a")))
}
