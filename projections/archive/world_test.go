package archive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/projections/archive"
)

var (
	ctx  = context.Background()
	lake = uuid.MustParse("0199a3c2-7f4e-7c11-9d52-3b8f6a1e0c47")
)

// world is a journal that grows, and the warehouse that it is archived in.
type world struct {
	journal *journal.Memory
	disk    *memory.Store
	pending []journal.Entry // not appended yet
	all     []journal.Entry // appended
}

func newWorld(entries []journal.Entry) *world {
	return &world{journal: journal.NewMemory(), disk: memory.New(), pending: entries}
}

// grow appends the next n events.
func (w *world) grow(tb rapid.TB, n int) {
	tb.Helper()
	for _, e := range w.pending[:n] { // each alone: a patch needs its base
		journaltest.Append(tb, w.journal, []journal.Entry{e})
	}
	w.all, w.pending = append(w.all, w.pending[:n]...), w.pending[n:]
}

func (w *world) options(store warehouse.Store) archive.Options {
	return archive.Options{ID: lake, Store: store, From: w.journal, Failed: func(error) {}}
}

func (w *world) sealer(store warehouse.Store, events int) archive.Sealer {
	return archive.NewSealer(w.options(store), events)
}

// open opens the archive; nil when there is none.
func (w *world) open(tb rapid.TB) *archive.Archive {
	tb.Helper()
	a, err := archive.Open(ctx, w.disk)
	if errors.Is(err, archive.ErrNone) {
		return nil
	}
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// entries reads what a reader has after a seq.
func entries(tb rapid.TB, r journal.Reader, after journal.Seq) (all []journal.Entry) {
	tb.Helper()
	for e, err := range r.(journal.Entries).Entries(ctx, after) {
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

var same = cmp.Options{cmpopts.IgnoreUnexported(journal.Entry{}), cmpopts.EquateEmpty(), cmp.Comparer(bytes.Equal)}

// wantPrefix checks that every incarnation in the archive is the journal's, as far as
// it goes, and that its head is found; and answers how many events there are.
func (w *world) wantPrefix(tb rapid.TB) (archived int) {
	tb.Helper()
	a := w.open(tb)
	if a == nil {
		return 0
	}
	archived = w.wantEvents(tb, a)
	want, err := a.Warehouse(lake).Head(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	head, found, err := archive.Head(ctx, w.disk)
	if err != nil || !found || head != want {
		tb.Fatalf("head %s, %t, %v; want %s", head, found, err, want)
	}
	return archived
}

// wantEvents checks the events of every incarnation, and answers how many there are.
func (w *world) wantEvents(tb rapid.TB, a *archive.Archive) (archived int) {
	tb.Helper()
	held, err := a.Incarnations(ctx, lake)
	if err != nil {
		tb.Fatal(err)
	}
	for _, i := range held {
		got := entries(tb, a.Incarnation(lake, i.ID), 0)
		want := entries(tb, w.journal.Incarnation(lake, i.ID), 0)
		if len(got) > len(want) || got[len(got)-1].Event.Position != i.Head {
			tb.Fatalf("%s has %d events and ends at %s, the journal has %d", i.ID, len(got), i.Head, len(want))
		}
		if diff := cmp.Diff(want[:len(got)], got, same); diff != "" {
			tb.Fatalf("archived entries (-journal +archive):\n%s", diff)
		}
		archived += len(got)
	}
	return archived
}

// wantAll checks that the archive and the journal are the same to all who read.
func (w *world) wantAll(tb rapid.TB) {
	tb.Helper()
	if n := w.wantPrefix(tb); n != len(w.all) {
		tb.Fatalf("%d of %d events are archived", n, len(w.all))
	}
	a := w.open(tb)
	want, err := w.journal.Incarnations(ctx, lake)
	if err != nil {
		tb.Fatal(err)
	}
	got, err := a.Incarnations(ctx, lake)
	if diff := cmp.Diff(want, got); diff != "" || err != nil || a.ID() != lake {
		tb.Fatalf("incarnations (-journal +archive), %v:\n%s", err, diff)
	}
	live, copied := journal.Lineage(w.journal, lake), journal.Lineage(a, lake)
	if diff := cmp.Diff(dump(tb, live, 0), dump(tb, copied, 0)); diff != "" {
		tb.Fatalf("rebuilt (-journal +archive):\n%s", diff)
	}
	for _, e := range journaltest.Events(tb, live, 0) {
		wantEvent(tb, live, copied, e)
	}
}

// wantEvent compares what can be read of one event.
func wantEvent(tb rapid.TB, live, copied journal.Reader, e journal.Event) {
	tb.Helper()
	want, _, err := live.Find(ctx, e.ID)
	got, found, err2 := copied.Find(ctx, e.ID)
	if err != nil || err2 != nil || !found || got.Position != want.Position {
		tb.Fatalf("find %s = %s, %t, %v, %v", want.Position, got.Position, found, err, err2)
	}
	for move := range e.Moves() {
		want, err := live.Document(ctx, e.Seq, move)
		got, err2 := copied.Document(ctx, e.Seq, move)
		if string(want) != string(got) || (err == nil) != (err2 == nil) || errors.Is(err, journal.ErrNotKept) != errors.Is(err2, journal.ErrNotKept) {
			tb.Fatalf("document of %s: %q, %v; want %q, %v", e.Position, got, err2, want, err)
		}
	}
}

// dump is what the events up to a seq fold to.
func dump(tb rapid.TB, r journal.Reader, to journal.Seq) projections.Dump {
	tb.Helper()
	s := projections.NewState(lake)
	if err := projections.CatchUp(ctx, r, to, s); err != nil {
		tb.Fatal(err)
	}
	d, err := s.Dump(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// lineage draws incarnations, each continuing an event of the one before.
func lineage(t *rapid.T) (all []journal.Entry) {
	var past []journal.Event
	for i := range rapid.IntRange(1, 3).Draw(t, "incarnations") {
		story := journaltest.DrawStory(t, lake)
		if i > 0 {
			past = past[:rapid.IntRange(1, len(past)).Draw(t, "left at")]
			story.Drafts[0].Body = continuing(past[len(past)-1])
		}
		made := formed(t, story.Drafts, fmt.Sprint("incarnation ", i), journal.Seq(i*1_000_000))
		for _, e := range made {
			past = append(past, e.Event)
		}
		all = append(all, made...)
	}
	return all
}

func continuing(e journal.Event) journal.Body {
	return journal.IncarnationStarted{Build: "test", Location: "s3://lake/wh", Name: "lake", Parent: &e.Position, Reason: "recovery"}
}

// formed makes the entries of an incarnation.
func formed(tb rapid.TB, drafts []journal.Draft, name string, before journal.Seq) (all []journal.Entry) {
	tb.Helper()
	chain := journal.NewChain(lake, uuid.NewSHA1(lake, []byte(name)), before)
	for _, draft := range drafts {
		entry, next, err := chain.Next(draft, journal.At(journaltest.Start))
		if err != nil {
			tb.Fatal(err)
		}
		all, chain = append(all, entry), next
	}
	return all
}

// failing fails calls of a store, counted from 0.
func failing(store warehouse.Store, fault func(call int) faulty.Fault) warehouse.Store {
	calls := -1
	return faulty.New(store, func(faulty.Op, string) faulty.Fault {
		calls++
		return fault(calls)
	})
}

// chain is a history in which documents are patches on each other.
func chain(t *testing.T, documents int) journaltest.Chained {
	return journaltest.Chain(t, lake, documents)
}
