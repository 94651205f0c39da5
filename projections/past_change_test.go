package projections

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"
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

// led counts the steps of an object that led to a version.
func led(t *rapid.T, s *Snapshot, key string) (n int) {
	steps, err := s.Steps(context.Background(), uuid.UUID([]byte(key)))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		if Leads(step.Move) {
			n++
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
