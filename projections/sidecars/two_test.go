package sidecars

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/leased"
	"puddle/internal/warehouse/memory"
	"puddle/journal/journaltest"
)

// stalled is a store whose process is stopped amid its writes: what was being written then
// lands when somebody lets it.
type stalled struct {
	warehouse.Store
	mu     sync.Mutex
	left   int // writes until it stops
	landed []func() error
}

var errStalled = errors.New("stalled")

func (f *stalled) write(do func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left--; f.left >= 0 {
		return do()
	}
	if len(f.landed) < parallel { // there are no more at the same time
		f.landed = append(f.landed, do)
	}
	return errStalled
}

func (f *stalled) Put(ctx context.Context, key string, data []byte) error {
	return f.write(func() error { return f.Store.Put(ctx, key, data) })
}

func (f *stalled) Delete(ctx context.Context, key string) error {
	return f.write(func() error { return f.Store.Delete(ctx, key) })
}

// land lets one of the writes that were stopped happen.
func (f *stalled) land(t *rapid.T) {
	if len(f.landed) == 0 {
		return
	}
	i := rapid.IntRange(0, len(f.landed)-1).Draw(t, "lands")
	do := f.landed[i]
	f.landed = append(f.landed[:i:i], f.landed[i+1:]...)
	must(t, do())
}

// shared is a worker that knows of others.
func (w *world) shared(store warehouse.Store) *work {
	now := w.working(store)
	now.Others = true
	return now
}

// looks has all that was written looked at again, and mended.
func (w *work) looks(t rapid.TB) {
	t.Helper()
	for _, s := range w.seen {
		s.due = time.Time{}
	}
	for range 100 {
		r := w.round(ctx, func() {})
		must(t, r.err)
		if !r.again {
			return
		}
	}
	t.Fatal("nothing settles")
}

// A follower is stopped at any of its writes, amid any of its rounds. Another takes over,
// and while it goes on what the first was writing lands, when it likes. The second looks
// again at what it has written, and in the end all sidecars are what the journal says. The
// cursor may be set back, and never says too much.
func TestLaw_StoppedAmidItsWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, memory.New(), journaltest.DrawStory(t, lake))
		first := &stalled{Store: w.files, left: rapid.IntRange(0, 60).Draw(t, "writes")}
		one := w.shared(first)
		for one.round(ctx, func() {}).err == nil && len(w.entries) > 0 {
			w.grow(t, rapid.IntRange(1, 4).Draw(t, "events"))
		}
		two := w.shared(w.files)
		for len(w.entries) > 0 || len(first.landed) > 0 {
			switch rapid.IntRange(0, 2).Draw(t, "next") {
			case 0:
				w.grow(t, rapid.IntRange(1, 4).Draw(t, "events"))
			case 1:
				must(t, two.round(ctx, func() {}).err)
			default:
				if two.began { // it holds the lease: the first had it before
					first.land(t)
				} else {
					must(t, two.round(ctx, func() {}).err)
				}
			}
		}
		two.looks(t)
		w.wantFold(t)
		w.settled(t, w.files) // whoever comes next begins at the cursor that is there
		w.wantFold(t)
	})
}

// Two followers run at once, each amid the other's reads and writes: no older state
// replaces a newer one for good.
func TestLaw_TwoAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, memory.New(), journaltest.DrawStory(t, lake))
		two := w.shared(w.files)
		random := rand.New(rand.NewPCG(0, rapid.Uint64().Draw(t, "seed")))
		var wrong error
		one := w.shared(hook(w.files, func(int, faulty.Op, string) faulty.Fault { // called by one goroutine at a time
			if random.IntN(4) == 0 {
				w.grow(t, random.IntN(3))
				wrong = errors.Join(wrong, two.round(ctx, func() {}).err)
			}
			return faulty.Fault{}
		}))
		for len(w.entries) > 0 {
			w.grow(t, rapid.IntRange(1, 3).Draw(t, "events"))
			must(t, errors.Join(one.round(ctx, func() {}).err, wrong))
		}
		one.looks(t)
		two.looks(t)
		w.wantFold(t)
	})
}

// A follower that has lost its lease writes nothing more, nor when it is closed; Stop
// leaves all as it is.
func TestLostLease(t *testing.T) {
	for name, end := range map[string]func(*Follower) error{
		"close": func(f *Follower) error { return f.Close(ctx) },
		"stop":  func(f *Follower) error { return f.Stop(ctx) },
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, memory.New(), sales())
			lost, held := errors.New("lost"), true
			f := Follow(w.options(leased.New(w.files, func() error {
				if held {
					return nil
				}
				return lost
			})))
			w.grow(t, 4)
			f.Wake()
			time.Sleep(2 * Interval)
			before := strings.Join(keysAndBytes(t, w.files), "|")
			held = false
			w.grow(t, 4)
			f.Wake()
			if name == "close" {
				time.Sleep(2 * Interval)
			}
			if err := end(f); name == "close" != errors.Is(err, lost) {
				t.Errorf("%s: %v", name, err)
			}
			if after := strings.Join(keysAndBytes(t, w.files), "|"); after != before || before == "" {
				t.Errorf("%s: sidecars are %s, were %s", name, after, before)
			}
		})
	}
}

func keysAndBytes(t *testing.T, store warehouse.Reader) (all []string) {
	t.Helper()
	for entry, err := range store.List(ctx, "") {
		must(t, err)
		data, err := store.Get(ctx, entry.Key, maxNamespace)
		must(t, err)
		all = append(all, entry.Key, string(data))
	}
	return all
}
