package sidecars

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
)

// renamed is a story of tables that are made, and then renamed one after the other: what
// is in their sidecars is needed for that.
func renamed() *journaltest.Story {
	s := journaltest.NewStory(lake)
	n := journal.Namespace{"a"}
	s.CreateNamespace(n, nil)
	for i := range 4 {
		s.CreateTable(journal.Identifier{Namespace: n, Name: fmt.Sprint("t", i)})
	}
	for i := range 4 {
		from := journal.Identifier{Namespace: n, Name: fmt.Sprint("t", i)}
		s.Rename(from, journal.Identifier{Namespace: n, Name: fmt.Sprint("u", i)})
	}
	for i := range 4 {
		from := journal.Identifier{Namespace: n, Name: fmt.Sprint("u", i)}
		s.Rename(from, journal.Identifier{Namespace: n, Name: fmt.Sprint("v", i)})
	}
	return s
}

// TestOneUnreadableSidecar: one that cannot be read holds no other one back. It is tried
// again, told, and seen in the progress, and the cursor waits for it.
func TestOneUnreadableSidecar(t *testing.T) {
	bubble(t, renamed(), func(t *testing.T, w *world) {
		w.grow(t, 6)
		w.settled(t, w.files)
		var bad string // of the first rename that a request asked for
		for _, e := range w.entries {
			if bad == "" && e.Event.Cause.RequestID != "" {
				bad = Key(e.Event.Moves()[0].UUID)
			}
		}
		broken, reads := true, 0
		store := hook(w.files, func(_ int, op faulty.Op, key string) faulty.Fault {
			if op != faulty.Get || key != bad {
				return faulty.Fault{}
			}
			if reads++; broken {
				return faulty.Before(errInjected)
			}
			return faulty.Fault{}
		})
		f := Follow(w.options(store))
		time.Sleep(time.Minute)
		for len(w.entries) > 0 { // one after the other, as they are committed
			w.grow(t, 1)
			f.Wake()
			time.Sleep(2 * Interval)
		}
		synctest.Wait()
		want := folded(t, journaltest.Events(t, w.lineage(), 0))
		for key, data := range stored(t, w.files) {
			if (data == want[key]) == (key == bad) {
				t.Errorf("%s: %s", key, data)
			}
		}
		p := f.Progress()
		if !errors.Is(p.Err, errInjected) || p.Failed == 0 || p.Behind == 0 || reads < 3 {
			t.Errorf("after %d reads: %+v", reads, p)
		}
		w.mu.Lock()
		if !slices.ContainsFunc(w.told, func(f failure) bool { return errors.Is(f.err, errInjected) && f.requestID != "" }) {
			t.Errorf("told: %+v", w.told)
		}
		w.mu.Unlock()
		store.mu.Lock()
		broken = false
		store.mu.Unlock()
		time.Sleep(2 * maxPause)
		w.wantFold(t)
		if p := f.Progress(); p.Err != nil || p.Behind != 0 {
			t.Errorf("in the end: %+v", p)
		}
		must(t, f.Close(ctx))
	})
}

// TestHeldBackIsReadOnce: what entries lack that were held back is read in one go.
func TestHeldBackIsReadOnce(t *testing.T) {
	w := newWorld(t, memory.New(), renamed())
	w.grow(t, 6)
	w.settled(t, w.files)
	w.grow(t, 100)
	broken := true
	now := w.working(hook(w.files, func(_ int, op faulty.Op, key string) faulty.Fault {
		if broken && op == faulty.Get && key != cursorKey {
			return faulty.Before(errInjected)
		}
		return faulty.Fault{}
	}))
	if r := now.round(ctx, func() {}); !errors.Is(r.err, errInjected) || r.wrote != 0 || len(now.pending) != 4 || now.more {
		t.Errorf("%+v, %d pending", r, len(now.pending))
	}
	broken = false
	scans := &scanned{Reader: now.From}
	now.From = scans
	if r := now.round(ctx, func() {}); r.err != nil || r.wrote != 4 || scans.n != 1 {
		t.Errorf("%+v, %d scans", r, scans.n)
	}
	w.wantFold(t)
}

// scanned counts how often a journal is read.
type scanned struct {
	journal.Reader
	n, back int
}

func (s *scanned) ScanBack(ctx context.Context, before journal.Seq) iter.Seq2[journal.Event, error] {
	s.back++
	return s.Reader.ScanBack(ctx, before)
}

func (s *scanned) Scan(ctx context.Context, after journal.Seq) iter.Seq2[journal.Event, error] {
	s.n++
	return s.Reader.Scan(ctx, after)
}
