package sidecars

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
)

// next appends an event that follows another one, or begins an incarnation of its
// own after it.
func (w *world) next(t *testing.T, after journal.Chain, body journal.Body) journal.Chain {
	t.Helper()
	entry, chain, err := after.Next(journal.Draft{
		Warehouse: lake, ID: uuid.Must(uuid.NewV7()), Body: body,
		Cause: journal.Cause{Actor: journal.CLIActor("operator"), Origin: journal.OriginRecover},
	}, journal.At(journaltest.Start))
	must(t, err)
	must(t, w.journal.Append(ctx, entry))
	return chain
}

// recovered begins a new incarnation that has one of the tables that were there, at
// the file that it had.
func (w *world) recovered(t *testing.T, story *journaltest.Story, name string) {
	t.Helper()
	parent, err := w.lineage().Head(ctx)
	must(t, err)
	o := story.Objects[journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: name}.Key()]
	chain := journal.NewChain(lake, uuid.New(), 1_000_000)
	chain = w.next(t, chain, journal.IncarnationStarted{Build: "test", Location: "s3://lake/wh", Name: "lake", Parent: &parent, Reason: "recovery"})
	chain = w.next(t, chain, journal.NamespaceCreated{ID: story.Namespaces["sales"].ID, Namespace: journal.Namespace{"sales"}, Properties: map[string]string{"new": "one"}})
	w.next(t, chain, journal.TableRegistered{Moves: [1]journal.Move{{Kind: o.Kind, UUID: o.UUID, To: &o.To}}})
}

// What a new incarnation has gets sidecars of it; what it has not keeps what it
// had, with the incarnation before, for who looks for it.
func TestNewIncarnation(t *testing.T) {
	for name, lost := range map[string][]string{"cursor": nil, "no cursor": {cursorKey}} {
		story := sales()
		story.Drafts = story.Drafts[:7]
		story.Objects = map[string]journaltest.Object{}
		a, b := journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: "a"}, journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: "b"}
		w := newWorld(t, memory.New(), story)
		w.grow(t, 100)
		for _, e := range journaltest.Events(t, w.lineage(), 0) {
			for _, m := range e.Moves() {
				story.Objects[m.To.Identifier.Key()] = journaltest.Object{Kind: m.Kind, UUID: m.UUID, To: *m.To}
			}
		}
		w.settled(t, w.files)
		before := stored(t, w.files)
		w.recovered(t, story, "a")
		for _, key := range lost {
			must(t, w.files.Delete(ctx, key))
		}
		w.settled(t, w.files)
		after := stored(t, w.files)
		w.wantFold(t)
		keyA, keyB, keyN := Key(story.Objects[a.Key()].UUID), Key(story.Objects[b.Key()].UUID), NamespaceKey(story.Namespaces["sales"].ID)
		if after[keyB] != before[keyB] || after[keyA] == before[keyA] || after[keyN] == before[keyN] || len(after) != len(before) {
			t.Errorf("%s: %s", name, cmp.Diff(before, after))
		}
		cursor, found, err := ReadCursor(ctx, w.files)
		o, _ := Decode(keyA, []byte(after[keyA]))
		old, _ := Decode(keyB, []byte(after[keyB]))
		if !found || err != nil || o.Incarnation != cursor.Incarnation || old.Incarnation == cursor.Incarnation {
			t.Errorf("%s: cursor %s, %v, %v", name, cursor, found, err)
		}
	}
}

// A journal that knows nothing of what lies there, since an older copy of it was put
// back, replaces what its events are about and leaves the rest.
func TestOlderJournal(t *testing.T) {
	story := sales()
	old, ahead := newWorld(t, memory.New(), story), newWorld(t, memory.New(), sales())
	ahead.files = old.files
	ahead.grow(t, 100)
	ahead.settled(t, ahead.files)
	later := stored(t, old.files)
	old.grow(t, 4) // a namespace, updated, and a table with one commit
	old.settled(t, old.files)
	want := folded(t, journaltest.Events(t, old.lineage(), 0))
	maps.DeleteFunc(later, func(key, _ string) bool { return want[key] != "" })
	maps.Copy(want, later)
	got := stored(t, old.files)
	if len(later) < 2 || !slices.Equal(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))) || cmp.Diff(want, got) != "" {
		t.Errorf("%s", cmp.Diff(want, got))
	}
}

// What has the seed's members only, or says another warehouse, or an event that is
// about something else, is no state to go on from.
func TestForeignSidecars(t *testing.T) {
	w := newWorld(t, memory.New(), sales())
	w.grow(t, 6)
	events := journaltest.Events(t, w.lineage(), 0)
	table := events[2].Moves()[0]
	last := events[len(events)-1]
	honest := Object{
		Kind: table.Kind, Warehouse: "lake", UUID: table.UUID, Identifier: table.To.Identifier, Location: "s3://elsewhere/x",
		MetadataLocation: "s3://elsewhere/x/metadata/1", State: Active, UpdatedAt: journaltest.Start,
	}
	for name, extras := range map[string]Extras{
		"seed":              {},
		"another warehouse": {uuid.New(), last.Incarnation, last.Seq, last.ID},
		"another event":     {lake, last.Incarnation, last.Seq, last.ID},
		"another seq":       {lake, last.Incarnation, last.Seq + 1, events[2].ID},
		"another life":      {lake, uuid.New(), 1, events[2].ID},
	} {
		o := honest
		o.Extras = extras
		data, err := Encode(o)
		must(t, err)
		must(t, w.files.Put(ctx, Key(table.UUID), data))
		must(t, w.files.Delete(ctx, cursorKey))
		w.settled(t, w.files)
		if diff := cmp.Diff(folded(t, events), stored(t, w.files)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
