package projections

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// What differs between two moments is what differs between their dumps, whether
// they share memory or not, and can be gone on with after any key.
func TestChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := uuid.New()
		from, events := lineageOf(t, id)
		live := NewState(id)
		if err := CatchUp(context.Background(), from, 0, live); err != nil {
			t.Fatal(err)
		}
		past := NewPast(id, from, live)
		at := func(what string) *Snapshot {
			if rapid.Bool().Draw(t, "apart") {
				past = NewPast(id, from, live)
			}
			s, err := past.At(context.Background(), events[rapid.IntRange(0, len(events)-1).Draw(t, what)].Seq)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		a, b := at("from"), at("to")
		want := map[string]ObjectChange{}
		for side, s := range []*Snapshot{a, b} {
			for _, o := range s.EachObject("") {
				c := want[string(o.UUID[:])]
				c.UUID = o.UUID
				if own := o; side == 0 {
					c.From = &own
				} else {
					c.To = &own
				}
				want[string(o.UUID[:])] = c
			}
		}
		for key, c := range want {
			if c.From != nil && c.To != nil && c.From.Identifier.Equal(c.To.Identifier) && c.From.Pointer == c.To.Pointer {
				delete(want, key)
				continue
			}
			c.Steps = led(t, b, key) - led(t, a, key)
			want[key] = c
		}
		listedAfter(t, func(after string) map[string]ObjectChange {
			got, begin := map[string]ObjectChange{}, uuid.Nil
			copy(begin[:], after)
			for c := range a.ObjectChanges(b, begin) {
				got[string(c.UUID[:])] = c
			}
			return got
		}, want)
		named := map[string]NamespaceChange{}
		for side, s := range []*Snapshot{a, b} {
			for key, n := range s.EachNamespace("") {
				c := named[key]
				if own := n; side == 0 {
					c.From = &own
				} else {
					c.To = &own
				}
				named[key] = c
			}
		}
		maps.DeleteFunc(named, func(_ string, c NamespaceChange) bool {
			return c.From != nil && c.To != nil && c.From.ID == c.To.ID && maps.Equal(c.From.Properties, c.To.Properties)
		})
		listedAfter(t, func(after string) map[string]NamespaceChange { return maps.Collect(a.NamespaceChanges(b, after)) }, named)
	})
}

// A recovery registers every table at the file that it had, and so do hands: that is no
// step ahead.
func TestComingBackIsNoStep(t *testing.T) {
	ctx, id, j := context.Background(), uuid.New(), journal.NewMemory()
	name := journal.Identifier{Namespace: journal.Namespace{"n"}, Name: "t"}
	before := journaltest.NewStory(id)
	before.CreateNamespace(name.Namespace, nil)
	before.Commit(name) // creates it
	before.Commit(name)
	entries := journaltest.Entries(t, before.Drafts, journaltest.Start)
	journaltest.Append(t, j, entries)
	end := entries[len(entries)-1].Event
	was := end.Moves()[0]

	start := before.Drafts[0]
	start.ID, start.Body = uuid.New(), journal.IncarnationStarted{Build: "test", Location: "s3://lake/wh", Name: "lake", Parent: &end.Position, Reason: "recovery"}
	space := before.Drafts[1]
	space.ID, space.Request = uuid.New(), nil
	back := journal.Draft{Warehouse: id, ID: uuid.New(), Cause: start.Cause, Body: journal.TableRegistered{Moves: [1]journal.Move{{Kind: journal.Table, UUID: was.UUID, To: was.To}}}}
	to := *was.To
	to.Pointer.MetadataLocation += "-next"
	next := journal.Draft{Warehouse: id, ID: uuid.New(), Cause: start.Cause, Body: journal.TablesCommitted{Moves: []journal.Move{{
		Kind: journal.Table, UUID: was.UUID, From: &journal.From{Identifier: to.Identifier, Pointer: was.To.Pointer}, To: &to,
	}}}}
	chain := journal.NewChain(id, uuid.New(), 1_000_000)
	chain.At = end.At
	for _, d := range []journal.Draft{start, space, back, next} {
		entry, after, err := chain.Next(d, journal.At(end.At))
		if err != nil {
			t.Fatal(err)
		}
		journaltest.Append(t, j, []journal.Entry{entry})
		chain = after
	}
	past := NewPast(id, journal.Lineage(j, id), NewState(id))
	a, err := past.At(ctx, end.Seq)
	if err != nil {
		t.Fatal(err)
	}
	b, err := past.At(ctx, 1_000_004)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for c := range a.ObjectChanges(b, uuid.Nil) {
		if n++; !c.Moved() || c.Steps != 1 {
			t.Errorf("%+v: %d steps, want 1", c, c.Steps)
		}
	}
	if n != 1 {
		t.Errorf("%d changes, want one", n)
	}
}

// led counts the steps of an object that led to another version than it had.
func led(t *rapid.T, s *Snapshot, key string) (n int) {
	steps, err := s.Steps(context.Background(), uuid.UUID([]byte(key)))
	if err != nil {
		t.Fatal(err)
	}
	var last journal.Pointer
	for _, step := range steps {
		if to := step.Move.To; to != nil && to.Pointer != last {
			n, last = n+1, to.Pointer
		}
	}
	return n
}

func listedAfter[V any](t *rapid.T, changes func(after string) map[string]V, want map[string]V) {
	for _, after := range append([]string{""}, slices.Sorted(maps.Keys(want))...) {
		rest := maps.Clone(want)
		maps.DeleteFunc(rest, func(key string, _ V) bool { return key <= after && after != "" })
		differ(t, "after "+after, changes(after), rest)
	}
}
