package projectiontest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

// testConflicts: whoever takes drafts in order, some of which break a rule,
// refuses exactly those, for the rule they break, and then holds what the fold
// of the accepted ones holds (law 1) and what the story's own model says.
func testConflicts(t *testing.T, open func(testing.TB) Opened) {
	store := open(t).Store
	rapid.Check(t, func(t *rapid.T) {
		attempts, story := journaltest.DrawConflicting(t, warehouse)
		w := fresh(t, store)
		state := projections.NewState(warehouse)
		chain := journal.NewChain(warehouse, journaltest.Incarnation(warehouse), 0)
		for len(attempts) > 0 {
			group := min(len(attempts), rapid.IntRange(1, 8).Draw(t, "group"))
			tx := begin(t, store)
			for _, a := range attempts[:group] {
				chain = attempt(t, tx, state, chain, a)
			}
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			attempts = attempts[group:]
		}
		same(t, "store", w, "State", state)
		sameAnswers(t, w, state)
		holdsStory(t, w, story)
	})
}

// attempt offers one draft to both and answers the chain after it.
func attempt(t *rapid.T, tx projections.Tx, state *projections.State, chain journal.Chain, a journaltest.Attempt) journal.Chain {
	entry, next, err := chain.Next(a.Draft, journal.At(journaltest.Start))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	live, model := tx.Apply(ctx, entry.Event), state.Apply(ctx, entry.Event)
	if got := ruleOf(t, model); got != a.Breaks {
		t.Fatalf("State: %s broke %q, want %q", a.Body.Kind(), got, a.Breaks)
	}
	equal(t, "the store's answer", conflictOf(t, live), conflictOf(t, model))
	if a.Breaks != "" {
		return chain
	}
	return next
}

// testReplay is law 2: what was applied as it happened, what was replayed in
// batches, and what was reset and replayed hold the same.
func testReplay(t *testing.T, open func(testing.TB) Opened) {
	store := open(t).Store
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		j, events := drawJournal(t)
		state := projections.NewState(warehouse)
		for _, e := range events {
			apply(t, state, e)
		}
		w := fresh(t, store)
		for len(events) > 0 {
			group := min(len(events), rapid.IntRange(1, 8).Draw(t, "group"))
			tx := begin(t, store)
			for _, e := range events[:group] {
				if err := tx.Apply(ctx, e); err != nil {
					t.Fatal(err)
				}
			}
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			events = events[group:]
		}
		same(t, "live", w, "State", state)
		if err := w.Reset(ctx); err != nil {
			t.Fatal(err)
		}
		catchUp(t, j.Warehouse(warehouse), 0, w)
		same(t, "replayed", w, "State", state)
		sameAnswers(t, w, state)
	})
}

// testAsOf is law 4 in its cheap form: stopped at n and gone on later, a
// projection holds the fold of the first n events, and then of all.
func testAsOf(t *testing.T, open func(testing.TB) Opened) {
	store := open(t).Store
	rapid.Check(t, func(t *rapid.T) {
		j, events := drawJournal(t)
		w, state := fresh(t, store), projections.NewState(warehouse)
		n := rapid.IntRange(1, len(events)).Draw(t, "n")
		apply(t, state, events[:n]...)
		catchUp(t, j.Warehouse(warehouse), journal.Seq(n), w)
		same(t, "as of n", w, "the fold of n", state)
		apply(t, state, events[n:]...)
		catchUp(t, j.Warehouse(warehouse), 0, w)
		same(t, "gone on", w, "the fold of all", state)
	})
}

// warehouse is the one of all random histories: what is drawn again is the same.
var warehouse = idOf("warehouse")

// fresh is that warehouse without what the run before left in it.
func fresh(t rapid.TB, store projections.Store) projections.Warehouse {
	t.Helper()
	w := store.Warehouse(warehouse)
	if err := w.Reset(context.Background()); err != nil {
		t.Fatal(err)
	}
	return w
}

func drawJournal(t *rapid.T) (journal.Journal, []journal.Event) {
	j := journal.NewMemory()
	journaltest.Append(t, j, journaltest.Entries(t, journaltest.Draw(t, warehouse), journaltest.Start))
	return j, journaltest.Events(t, j.Warehouse(warehouse), 0)
}

func catchUp(t rapid.TB, from journal.Reader, to journal.Seq, p projections.Projection) {
	t.Helper()
	if err := projections.CatchUp(context.Background(), from, to, p); err != nil {
		t.Fatal(err)
	}
}

// holdsStory compares what is held with the story's own model, by asking.
func holdsStory(t rapid.TB, w projections.Warehouse, story *journaltest.Story) {
	t.Helper()
	ctx := context.Background()
	held := dump(t, w)
	live := slices.DeleteFunc(held.Objects, func(o projections.HeldObject) bool { return o.Dropped })
	if len(held.Namespaces) != len(story.Namespaces) || len(live) != len(story.Objects) {
		t.Fatalf("%d namespaces and %d live objects, the story has %d and %d",
			len(held.Namespaces), len(live), len(story.Namespaces), len(story.Objects))
	}
	holdsPurges(t, held, story)
	for _, n := range story.Namespaces {
		got, err := w.Namespace(ctx, n.Name)
		if err != nil {
			t.Fatalf("namespace %q: %v", n.Name, err)
		}
		equal(t, "namespace", got, projections.Namespace{ID: n.ID, Name: n.Name, Properties: n.Properties})
	}
	for _, o := range story.Objects {
		got, err := w.Object(ctx, o.To.Identifier)
		if err != nil {
			t.Fatalf("%s %q: %v", o.Kind, o.To.Identifier, err)
		}
		equal(t, "object", got, projections.Object{
			Kind: o.Kind, UUID: o.UUID, Identifier: o.To.Identifier, Pointer: o.To.Pointer, Location: o.To.Location,
		})
		holders, err := w.Holders(ctx, o.To.Identifier)
		if err != nil || len(holders) == 0 || holders[0] != o.UUID {
			t.Fatalf("holders of %q: %v, %v, want %s first", o.To.Identifier, holders, err, o.UUID)
		}
	}
}

// ruleOf is the rule that a refusal names.
func ruleOf(t rapid.TB, err error) string {
	if c := conflictOf(t, err); c != nil {
		return string(c.Kind)
	}
	return ""
}

func conflictOf(t rapid.TB, err error) *projections.Conflict {
	var c *projections.Conflict
	if err != nil && !errors.As(err, &c) {
		t.Fatal(err)
	}
	return c
}
