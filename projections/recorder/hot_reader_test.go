package recorder_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/projections/recorder/recordertest"
)

// tinyHot has room for some four objects, so that most are pushed out.
const tinyHot = 2500

// everyKind is a story with each kind of event that moves objects.
func everyKind() *journaltest.Story {
	s := journaltest.NewStory(lake)
	in := journal.Namespace{"a", "b"}
	id := func(name string) journal.Identifier { return journal.Identifier{Namespace: in, Name: name} }
	uuidOf := func(name string) journaltest.Object { return s.Objects[id(name).Key()] }
	s.CreateNamespace(in.Parent(), nil)
	s.CreateNamespace(in, nil)
	for _, name := range []string{"t", "u", "v"} {
		s.CreateTable(id(name))
		s.CreateView(id("view " + name))
	}
	s.Commit(id("t"), id("u"), id("born in a commit"))
	s.ReplaceView(id("view t"))
	s.Register(journal.Table, id("t"))
	s.Register(journal.Table, id("registered"))
	s.Register(journal.View, id("view registered"))
	s.Rename(id("t"), id("w"))
	s.Rename(id("u"), id("t"))
	s.Rename(id("view t"), id("view w"))
	s.Repoint(id("w"))
	s.Repoint(id("view w"))
	gone, view, purged := uuidOf("t"), uuidOf("view u"), uuidOf("v")
	s.Drop(id("t"), false)
	s.Drop(id("view u"), false)
	s.Drop(id("v"), true)
	s.Unregister(id("registered"))
	s.Undrop(gone.UUID, id("u"))
	s.Undrop(view.UUID, id("view t"))
	s.Purge(purged.UUID)
	return s
}

// Whichever kind of event was acknowledged, a reader says of every name what the
// tables say, and says it again from memory.
func TestHotReaderOfEveryKind(t *testing.T) {
	story := everyKind()
	s := newStage(t, nil, recorder.Options{})
	defer s.Close()
	seen := map[journal.Kind]bool{
		journal.KindIncarnationStarted: true, journal.KindRecoveryCompleted: true, journal.KindHistoryImported: true,
		journal.KindNamespaceUpdated: true, journal.KindNamespaceDropped: true,
	}
	var names []journal.Identifier
	for _, d := range story.Drafts[1:] { // the birth is there
		e, err := s.Record(ctx, d)
		if err != nil {
			t.Fatalf("%s: %v", d.Body.Kind(), err)
		}
		seen[e.Kind()] = true
		names = append(names, namesOf(e)...)
		for range 2 {
			checkObjects(t, s, names)
		}
	}
	for _, kind := range journal.Kinds() {
		if !seen[kind] {
			t.Errorf("nothing is said of %s", kind)
		}
	}
}

func namesOf(e journal.Event) (names []journal.Identifier) {
	for _, m := range e.Moves() {
		if m.From != nil {
			names = append(names, m.From.Identifier)
		}
		names = append(names, m.Identifier())
	}
	return names
}

// checkObjects compares what a reader of the recorder says with what its tables
// say.
func checkObjects(tb rapid.TB, s *stage, names []journal.Identifier) {
	tb.Helper()
	for _, id := range names {
		want, wantErr := s.store.Store.Warehouse(lake).Object(ctx, id)
		got, err := s.Reader(lake).Object(ctx, id)
		if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, wantErr) {
			tb.Errorf("%s: %v, want %v\n%s", id, err, wantErr, diff)
		}
	}
}

// The same with any history, on every pair of journal and store, when most
// objects are pushed out.
func TestLawHotReaderIsTheTables(t *testing.T) {
	stories := rapid.Custom(func(t *rapid.T) []journal.Draft { return journaltest.Draw(t, lake) })
	check(t, stories, func(tb rapid.TB, p pair, drafts []journal.Draft) {
		j, store := p.open(tb)
		defer closeIt(tb, j)
		defer closeIt(tb, store)
		s := newStageOver(tb, j, store, nil, recorder.Options{Clock: clock{}})
		s.SetHot(tinyHot, 1)
		var names []journal.Identifier
		for _, d := range drafts[1:] { // the birth is there
			e, err := s.Record(ctx, d)
			if err != nil {
				tb.Fatal(err)
			}
			names = append(names, namesOf(e)...)
			checkObjects(tb, s, names)
		}
		closeIt(tb, s)
	})
}

// Readers of tables that are committed to never go back: not behind what was
// acknowledged before they asked, nor behind what another reader has seen.
func TestHotReadersNeverGoBack(t *testing.T) {
	for _, hot := range []int{tinyHot, 16 << 20} {
		j, store := pair{"journal.db", "puddle.db"}.in(t.TempDir()).open(t)
		defer closeIt(t, j)
		defer closeIt(t, store)
		s := newStageOver(t, j, store, nil, recorder.Options{})
		s.SetHot(hot, 1)
		if _, err := s.Record(ctx, recordertest.Namespace(lake, "a")); err != nil {
			t.Fatal(err)
		}
		var writers, readers sync.WaitGroup
		var over atomic.Bool
		for i := range 3 {
			e, err := s.Record(ctx, recordertest.Create(lake, "a", fmt.Sprint("t", i)))
			if err != nil {
				t.Fatal(err)
			}
			o := recordertest.Object(e.Moves()[0])
			known := &newest{id: o.Identifier}
			writers.Go(func() { known.write(t, s, o) })
			readers.Go(func() {
				for !over.Load() {
					known.read(t, s)
				}
			})
		}
		writers.Wait()
		over.Store(true)
		readers.Wait()
		closeIt(t, s)
		s.CheckHot(t)
	}
}

// newest is the newest version of a table that anybody knows of: its size.
type newest struct {
	id   journal.Identifier
	size atomic.Int64
}

func (n *newest) learn(size int64) {
	for known := n.size.Load(); size > known; known = n.size.Load() {
		if n.size.CompareAndSwap(known, size) {
			return
		}
	}
}

func (n *newest) write(t *testing.T, s *stage, o projections.Object) {
	for range 20 {
		d := recordertest.Commit(lake, o)
		to := d.Body.(journal.TablesCommitted).Moves[0].To
		to.Pointer.Size = o.Pointer.Size + 1
		e, err := s.Record(ctx, d)
		if err != nil {
			t.Error(err)
			return
		}
		o = recordertest.Object(e.Moves()[0])
		n.learn(o.Pointer.Size)
	}
}

func (n *newest) read(t *testing.T, s *stage) {
	known := n.size.Load()
	o, err := s.Reader(lake).Object(ctx, n.id)
	if err != nil || o.Pointer.Size < known {
		t.Errorf("%s is at %d, and was at %d: %v", n.id, o.Pointer.Size, known, err)
	}
	n.learn(o.Pointer.Size)
}
