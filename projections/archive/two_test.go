package archive_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/leased"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections/archive"
)

// wantSound has all that look at an archive look: nothing is wrong with it.
func (w *world) wantSound(tb rapid.TB) {
	tb.Helper()
	w.wantAll(tb)
	done, err := archive.Audit(ctx, w.disk, lake, w.journal, func(wrong error) { tb.Errorf("the audit says: %v", wrong) })
	if err != nil || len(done.Holes) > 0 || done.Events != int64(len(w.all)) {
		tb.Fatalf("audited %+v, %v", done, err)
	}
	if err := archive.Compare(ctx, w.disk, lake, w.journal); err != nil {
		tb.Fatal(err)
	}
	whole, lost, err := archive.Whole(ctx, w.disk, lake)
	if err != nil || len(lost) > 0 {
		tb.Fatalf("lost %v, %v", lost, err)
	}
	if diff := cmp.Diff(dump(tb, journal.Lineage(w.journal, lake), 0), dump(tb, journal.Lineage(whole, lake), 0)); diff != "" {
		tb.Fatalf("what a recovery would read (-journal +archive):\n%s", diff)
	}
	claims, err := archive.ReadClaims(ctx, w.disk)
	if end := w.all[len(w.all)-1].Event.Seq; err != nil || claims.Documents.Seq > end || claims.Hint.Seq > end {
		tb.Fatalf("claims %+v, %v", claims, err)
	}
}

// Two sealers cut their segments otherwise and run at once, each amid the other's reads
// and writes: the archive is always what the journal has up to some event, and in the end
// there is nothing in it that an audit or a recovery would refuse.
func TestLaw_TwoSealers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(lineage(t))
		random := rand.New(rand.NewPCG(0, rapid.Uint64().Draw(t, "seed")))
		two := w.shared(w.disk, rapid.IntRange(1, 9).Draw(t, "events a segment of the other"))
		one := w.shared(faulty.New(w.disk, func(faulty.Op, string) faulty.Fault {
			if random.IntN(10) == 0 {
				w.grow(t, random.IntN(min(5, len(w.pending)+1)))
				if err := two.Seal(ctx); err != nil {
					t.Fatal(err)
				}
			}
			return faulty.Fault{}
		}), rapid.IntRange(1, 9).Draw(t, "events a segment"))
		for len(w.pending) > 0 {
			w.grow(t, rapid.IntRange(1, len(w.pending)).Draw(t, "grow"))
			if err := one.Seal(ctx); err != nil {
				t.Fatal(err)
			}
			w.wantEvents(t, w.open(t))
		}
		if err := w.shared(w.disk, 1).Seal(ctx); err != nil { // whoever comes next
			t.Fatal(err)
		}
		w.wantSound(t)
	})
}

// shared is a sealer that knows of others.
func (w *world) shared(store warehouse.Store, events int) archive.Sealer {
	o := w.options(store)
	o.Others = true
	return archive.NewSealer(o, events)
}

// stalled is a store whose process is stopped amid a write, which happens when somebody
// lets it.
type stalled struct {
	warehouse.Store
	left  int // writes until it stops
	lands func() error
}

var errStalled = errors.New("stalled")

func (s *stalled) write(do func() error) error {
	if s.left--; s.left >= 0 {
		return do()
	}
	if s.lands == nil {
		s.lands = do
	}
	return errStalled
}

func (s *stalled) Create(ctx context.Context, key string, data []byte) error {
	return s.write(func() error { return s.Store.Create(ctx, key, data) })
}

func (s *stalled) Put(ctx context.Context, key string, data []byte) error {
	return s.write(func() error { return s.Store.Put(ctx, key, data) })
}

// A sealer is stopped amid any of its writes. Another one, which cuts otherwise, takes
// over, and at any moment after that the write happens: the archive is sound.
func TestLaw_StoppedAmidAWrite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(lineage(t))
		first := &stalled{Store: w.disk, left: rapid.IntRange(0, 20).Draw(t, "writes")}
		w.grow(t, rapid.IntRange(1, len(w.pending)).Draw(t, "grow"))
		one := w.shared(first, rapid.IntRange(1, 9).Draw(t, "events a segment"))
		if err := one.Seal(ctx); err != nil && !errors.Is(err, errStalled) {
			t.Fatal(err)
		}
		two := w.shared(w.disk, rapid.IntRange(1, 9).Draw(t, "events a segment of the other"))
		for first.lands != nil || len(w.pending) > 0 {
			w.grow(t, rapid.IntRange(0, len(w.pending)).Draw(t, "grow"))
			if err := two.Seal(ctx); err != nil {
				t.Fatal(err)
			}
			if first.lands != nil && rapid.Bool().Draw(t, "lands") {
				if err := first.lands(); err != nil && !errors.Is(err, warehouse.ErrExists) {
					t.Fatal(err)
				}
				first.lands = nil
				w.wantEvents(t, w.open(t))
			}
		}
		if err := two.Seal(ctx); err != nil {
			t.Fatal(err)
		}
		w.wantSound(t)
	})
}

// A follower that has lost its lease seals nothing more, nor when it is closed; Stop
// leaves the archive as it is. Who waits hears that it is over.
func TestArchiveLostLease(t *testing.T) {
	for name, end := range map[string]func(*archive.Follower) error{
		"close": func(f *archive.Follower) error { return f.Close(ctx) },
		"stop":  func(f *archive.Follower) error { return f.Stop(ctx) },
	} {
		synctest.Test(t, func(t *testing.T) {
			story := journaltest.NewStory(lake)
			for _, name := range []string{"a", "b", "c", "d", "e"} {
				story.CreateNamespace(journal.Namespace{name}, nil)
			}
			w := newWorld(journaltest.Entries(t, story.Drafts, journaltest.Start))
			lost, held := errors.New("lost"), true
			o := w.options(leased.New(w.disk, func() error {
				if held {
					return nil
				}
				return lost
			}))
			o.Mode = archive.Async
			f := archive.Follow(o)
			w.grow(t, 3)
			f.Wake()
			time.Sleep(archive.Interval)
			before := w.names(t)
			held = false
			w.grow(t, 2)
			f.Wake()
			waits := make(chan error, 1)
			go func() { waits <- f.Wait(ctx, w.all[len(w.all)-1].Event.Position) }()
			if name == "close" {
				time.Sleep(archive.Interval)
			}
			if err := end(f); name == "close" != errors.Is(err, lost) {
				t.Errorf("%s: %v", name, err)
			}
			if err := <-waits; !errors.Is(err, archive.ErrClosed) {
				t.Errorf("%s: who waits is told %v", name, err)
			}
			if after := w.names(t); after != before || before == "" {
				t.Errorf("%s: there is %s, was %s", name, after, before)
			}
		})
	}
}
