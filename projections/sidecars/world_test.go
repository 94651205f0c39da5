package sidecars

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
)

var (
	lake        = uuid.MustParse("0199a3c2-7f4e-7c11-9d52-3b8f6a1e0c47")
	errInjected = errors.New("injected")
)

// world is a warehouse, and a journal that grows by the events it will have.
type world struct {
	journal *journal.Memory
	entries []journal.Entry // to come
	files   warehouse.Store
	told    []failure
	mu      sync.Mutex
}

func newWorld(tb rapid.TB, files warehouse.Store, story *journaltest.Story) *world {
	tb.Helper()
	return &world{journal: journal.NewMemory(), entries: journaltest.Entries(tb, story.Drafts, journaltest.Start), files: files}
}

// grow appends the next events.
func (w *world) grow(tb rapid.TB, n int) {
	tb.Helper()
	n = min(n, len(w.entries))
	journaltest.Append(tb, w.journal, w.entries[:n])
	w.entries = w.entries[n:]
}

func (w *world) lineage() journal.Reader { return journal.Lineage(w.journal, lake) }

func (w *world) options(store warehouse.Store) Options {
	return Options{ID: lake, Name: "lake", Store: store, From: w.lineage(), Failed: func(err error, id string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.told = append(w.told, failure{err, id})
	}}
}

// working is what a follower does, without the waiting.
func (w *world) working(store warehouse.Store) *work {
	now := newWork(w.options(store))
	now.impatient = true
	return &now
}

// settled writes all there is to write.
func (w *world) settled(tb rapid.TB, store warehouse.Store) {
	tb.Helper()
	now := w.working(store)
	for range 100 {
		r := now.round(ctx, func() {})
		must(tb, r.err)
		if head, err := w.lineage().Head(ctx); !r.again && (err != nil || now.cursor == head) {
			return
		}
	}
	tb.Fatalf("nothing settles: %d pending at %s", len(now.pending), now.read)
}

// stored are all sidecars that lie there, by their keys.
func stored(tb rapid.TB, store warehouse.Reader) map[string]string {
	tb.Helper()
	all := map[string]string{}
	for entry, err := range store.List(ctx, Folder) {
		must(tb, err)
		if entry.Key != cursorKey {
			data, err := store.Get(ctx, entry.Key, maxNamespace)
			must(tb, err)
			all[entry.Key] = string(data)
		}
	}
	return all
}

// folded are the sidecars that a history leads to: told once more, from moves and
// bodies alone, for metadata files without logs.
func folded(tb rapid.TB, events []journal.Event) map[string]string {
	tb.Helper()
	objects, namespaces := map[uuid.UUID]Object{}, map[uuid.UUID]Namespace{}
	for _, e := range events {
		extras := Extras{lake, e.Incarnation, e.Seq, e.ID}
		switch b := e.Body.(type) {
		case journal.NamespaceCreated:
			namespaces[b.ID] = Namespace{b.ID, "lake", b.Namespace, b.Properties, Active, e.At, extras}
		case journal.NamespaceUpdated:
			n := namespaces[b.ID]
			properties := map[string]string{}
			maps.Copy(properties, n.Properties)
			for _, key := range b.Removed {
				delete(properties, key)
			}
			maps.Copy(properties, b.Updated)
			n.Properties, n.UpdatedAt, n.Extras = properties, e.At, extras
			namespaces[b.ID] = n
		case journal.NamespaceDropped:
			n := namespaces[b.ID]
			n.State, n.UpdatedAt, n.Extras = Dropped, e.At, extras
			namespaces[b.ID] = n
		case journal.TablePurged:
			delete(objects, b.Table)
		}
		for _, m := range e.Moves() {
			o, known := objects[m.UUID]
			before := o.MetadataLocation
			o.Kind, o.Warehouse, o.UUID, o.Identifier, o.UpdatedAt, o.Extras = m.Kind, "lake", m.UUID, m.Identifier(), e.At, extras
			if o.State = Dropped; m.To != nil {
				o.State, o.Location = Active, m.To.Location
				o.MetadataLocation, o.SHA256, o.Size = m.To.Pointer.MetadataLocation, m.To.Pointer.SHA256, m.To.Pointer.Size
			}
			o.Abandoned = slices.DeleteFunc(slices.Clone(o.Abandoned), func(at string) bool { return at == o.MetadataLocation })
			switch e.Kind() {
			case journal.KindTablesCommitted, journal.KindTableCreated:
				o.Abandoned = nil
			case journal.KindTableRegistered, journal.KindTableRepointed:
				if known && before != o.MetadataLocation {
					o.Abandoned = append(slices.DeleteFunc(o.Abandoned, func(at string) bool { return at == before }), before)
				}
			}
			objects[m.UUID] = o
		}
	}
	all := map[string]string{}
	for id, o := range objects {
		data, err := Encode(o)
		must(tb, err)
		all[Key(id)] = string(data)
	}
	for id, n := range namespaces {
		data, err := EncodeNamespace(n)
		must(tb, err)
		all[NamespaceKey(id)] = string(data)
	}
	return all
}

// wantFold compares what lies there with the fold of the journal.
func (w *world) wantFold(tb rapid.TB) {
	tb.Helper()
	if diff := cmp.Diff(folded(tb, journaltest.Events(tb, w.lineage(), 0)), stored(tb, w.files)); diff != "" {
		tb.Fatalf("sidecars (-want +got):\n%s", diff)
	}
}

// told about one table and a namespace: all that can happen to them.
func sales() *journaltest.Story {
	s := journaltest.NewStory(lake)
	n, a, b := journal.Namespace{"sales"}, journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: "a"}, journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: "b"}
	s.CreateNamespace(n, map[string]string{"owner": "x", "y": "z"})
	s.CreateTable(a)
	s.Commit(a)
	s.UpdateNamespace(n, []string{"y"}, map[string]string{"owner": "w"})
	s.CreateView(journal.Identifier{Namespace: n, Name: "v"})
	s.Commit(a, b)
	s.Rename(a, journal.Identifier{Namespace: n, Name: "c"})
	s.Repoint(journal.Identifier{Namespace: n, Name: "c"})
	gone := s.Objects[b.Key()].UUID
	s.Drop(b, true)
	s.Purge(gone)
	s.ReplaceView(journal.Identifier{Namespace: n, Name: "v"})
	s.Drop(journal.Identifier{Namespace: n, Name: "v"}, false)
	s.CreateNamespace(journal.Namespace{"empty"}, nil)
	s.DropNamespace(journal.Namespace{"empty"})
	s.Drop(journal.Identifier{Namespace: n, Name: "c"}, false)
	return s
}

// hooked is a store with a fault for a call that is chosen by its number.
type hooked struct {
	*faulty.Store
	mu    sync.Mutex
	calls int
	how   func(n int, op faulty.Op, key string) faulty.Fault
}

func hook(files warehouse.Store, how func(n int, op faulty.Op, key string) faulty.Fault) *hooked {
	h := &hooked{how: how}
	h.Store = faulty.New(files, func(op faulty.Op, key string) faulty.Fault {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.calls++
		return h.how(h.calls, op, key)
	})
	return h
}

func TestEverythingThatHappens(t *testing.T) {
	each(t, func(t *testing.T, store warehouse.Store) {
		together, apart := newWorld(t, store, sales()), newWorld(t, memory.New(), sales())
		together.grow(t, 100)
		together.settled(t, store)
		together.wantFold(t)
		one := apart.working(apart.files)
		for len(apart.entries) > 0 {
			apart.grow(t, 1)
			must(t, one.round(ctx, func() {}).err)
			apart.wantFold(t)
		}
		if diff := cmp.Diff(stored(t, store), stored(t, apart.files)); diff != "" {
			t.Errorf("together and apart: %s", diff)
		}
		good, bad, unread := listed(t, store)
		if len(good) != 4 || bad != nil || unread != nil {
			t.Errorf("listed %q, %q, %q", good, bad, unread)
		}
		if all := strings.Join(slices.Collect(maps.Values(stored(t, store))), ""); strings.Count(all, `"dropped"`) != 3 || !strings.Contains(all, "abandoned-metadata-locations") {
			t.Errorf("sidecars: %s", all)
		}
	})
}
