package sidecars

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
)

var orders = journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: "orders"}

// busy is one table with many commits, from its third event on.
func busy() *journaltest.Story {
	s := journaltest.NewStory(lake)
	s.CreateNamespace(journal.Namespace{"sales"}, nil)
	for range 30 {
		s.Commit(orders)
	}
	return s
}

// several are three tables with a commit each.
func several() *journaltest.Story {
	s := journaltest.NewStory(lake)
	s.CreateNamespace(journal.Namespace{"sales"}, nil)
	for _, name := range []string{"a", "b", "c"} {
		s.CreateTable(journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: name})
	}
	return s
}

// bubble runs a test with a clock of its own. Whatever compresses is done before.
func bubble(t *testing.T, story *journaltest.Story, test func(t *testing.T, w *world)) {
	w := newWorld(t, memory.New(), story)
	synctest.Test(t, func(t *testing.T) { test(t, w) })
}

// puts is a store that notes when sidecars are written, and fails when told to.
type puts struct {
	*faulty.Store
	start time.Time

	mu    sync.Mutex
	at    map[string][]time.Duration // by key; guarded by mu
	fault faulty.Fault               // of all puts; guarded by mu
}

func newPuts(w *world) *puts {
	p := &puts{start: time.Now(), at: map[string][]time.Duration{}}
	p.Store = faulty.New(w.files, func(op faulty.Op, key string) faulty.Fault {
		p.mu.Lock()
		defer p.mu.Unlock()
		if op != faulty.Put {
			return faulty.Fault{}
		}
		p.at[key] = append(p.at[key], time.Since(p.start))
		return p.fault
	})
	return p
}

func (p *puts) fail(f faulty.Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = f
}

// want compares the times of a sidecar's writes, when nothing moves any more.
func (p *puts) want(t *testing.T, key string, want ...time.Duration) {
	t.Helper()
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Equal(p.at[key], want) {
		t.Errorf("%s was written at %v, want %v", key, p.at[key], want)
	}
}

// orderKey is the key of the one table's sidecar.
func (w *world) orderKey() string {
	for _, e := range w.entries {
		for _, m := range e.Event.Moves() {
			return Key(m.UUID)
		}
	}
	panic("no table is to come")
}

func TestOneWriteASecond(t *testing.T) {
	bubble(t, busy(), func(t *testing.T, w *world) {
		key := w.orderKey()
		w.grow(t, 3)
		store := newPuts(w)
		f := Follow(w.options(store))
		store.want(t, key, 0)
		store.want(t, cursorKey, 0)
		for range 100 {
			w.grow(t, 1)
			f.Wake()
			time.Sleep(25 * time.Millisecond)
		}
		time.Sleep(time.Hour)
		store.want(t, key, 0, Interval)
		store.want(t, cursorKey, 0, Interval)
		f.Wake() // nothing is new
		time.Sleep(time.Hour)
		store.want(t, key, 0, Interval)
		w.wantFold(t)
		must(t, f.Close(ctx))
		store.want(t, cursorKey, 0, Interval)
		if head, _ := w.lineage().Head(ctx); f.Progress().Cursor != head || len(w.told) != 0 {
			t.Errorf("%+v, told %v", f.Progress(), w.told)
		}
	})
}

func TestCloseWritesWhatIsLeft(t *testing.T) {
	bubble(t, busy(), func(t *testing.T, w *world) {
		w.grow(t, 3)
		f := Follow(w.options(w.files))
		synctest.Wait()
		w.grow(t, 5)
		if p := f.Progress(); p.Behind != 5 {
			t.Errorf("behind %d, want 5", p.Behind)
		}
		must(t, f.Close(ctx))
		w.wantFold(t)
		if p := f.Progress(); p.Behind != 0 {
			t.Errorf("behind %d, want 0", p.Behind)
		}
		f.Wake()
		if err := f.Forget(ctx, lake); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

func TestUnbornWarehouseHasNone(t *testing.T) {
	bubble(t, busy(), func(t *testing.T, w *world) {
		f := Follow(w.options(w.files))
		synctest.Wait()
		if p := f.Progress(); p != (Progress{}) || len(w.told) != 0 {
			t.Errorf("%+v, told %v", p, w.told)
		}
		must(t, f.Close(ctx))
		for entry := range w.files.List(ctx, "") {
			t.Errorf("%s is there", entry.Key)
		}
	})
}

// A store that fails delays, with growing pauses and a word about each failure, by
// the id of the request. What it shows of itself meanwhile is how far it is behind.
func TestFailingStoreOnlyDelays(t *testing.T) {
	for _, fault := range []faulty.Fault{faulty.Before(errInjected), faulty.After(errInjected)} {
		bubble(t, busy(), func(t *testing.T, w *world) {
			key, third := w.orderKey(), w.entries[2].Event
			w.grow(t, 3)
			store := newPuts(w)
			store.fail(fault)
			f := Follow(w.options(store))
			time.Sleep(4 * time.Second)
			store.want(t, key, 0, 1*time.Second, 3*time.Second)
			if p := f.Progress(); p.Behind != 3 || !errors.Is(p.Err, errInjected) || p.Failed != 6 || !p.Cursor.IsZero() {
				t.Errorf("while it fails: %+v", p)
			}
			if !slices.ContainsFunc(w.told, func(f failure) bool { return f.requestID == third.Cause.RequestID && errors.Is(f.err, errInjected) }) || len(w.told) != 6 {
				t.Errorf("told %v", w.told)
			}
			store.fail(faulty.Fault{})
			w.grow(t, 2)
			f.Wake()
			time.Sleep(3 * time.Second)
			store.want(t, key, 0, 1*time.Second, 3*time.Second, 7*time.Second)
			w.wantFold(t)
			if p := f.Progress(); p.Behind != 0 || p.Err != nil || p.Failed != 6 {
				t.Errorf("when it is written: %+v", p)
			}
			w.grow(t, 1) // the pause is a second again
			f.Wake()
			time.Sleep(time.Second)
			store.want(t, key, 0, 1*time.Second, 3*time.Second, 7*time.Second, 8*time.Second)
			must(t, f.Close(ctx))
		})
	}
}

func TestPauseIsBounded(t *testing.T) {
	bubble(t, busy(), func(t *testing.T, w *world) {
		key := w.orderKey()
		w.grow(t, 3)
		store := newPuts(w)
		store.fail(faulty.Before(errInjected))
		f := Follow(w.options(store))
		time.Sleep(time.Hour)
		synctest.Wait()
		times := store.at[key]
		if pause := times[len(times)-1] - times[len(times)-2]; pause != maxPause {
			t.Errorf("pause %s, want %s", pause, maxPause)
		}
		if err := f.Close(ctx); !errors.Is(err, errInjected) {
			t.Errorf("Close: %v", err)
		}
	})
}

// One sidecar that cannot be written keeps no other one from being written, but the
// cursor.
func TestOneBadSidecar(t *testing.T) {
	bubble(t, several(), func(t *testing.T, w *world) {
		w.grow(t, 100)
		whole := folded(t, journaltest.Events(t, w.lineage(), 0))
		var bad string
		for key, data := range whole {
			if strings.Contains(data, `"c"`) {
				bad = key
			}
		}
		broken := true
		tries := 0
		store := hook(w.files, func(_ int, op faulty.Op, key string) faulty.Fault {
			if op == faulty.Put && key == bad {
				tries++
			}
			if broken && op == faulty.Put && key == bad {
				return faulty.Before(errInjected)
			}
			return faulty.Fault{}
		})
		f := Follow(w.options(store))
		time.Sleep(time.Hour)
		synctest.Wait()
		delete(whole, bad)
		for key, data := range stored(t, w.files) {
			if whole[key] != data {
				t.Errorf("%s: %s", key, data)
			}
		}
		if p := f.Progress(); !errors.Is(p.Err, errInjected) || !p.Cursor.IsZero() || tries < 60 || tries > 70 {
			t.Errorf("after an hour and %d tries: %+v", tries, p)
		}
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

// While others are written, one that cannot be is tried less and less often.
func TestOneBadSidecarBesideCommits(t *testing.T) {
	bubble(t, busy(), func(t *testing.T, w *world) {
		tries := 0
		f := Follow(w.options(hook(w.files, func(_ int, op faulty.Op, key string) faulty.Fault {
			if op != faulty.Put || !strings.HasPrefix(key, NamespacesFolder) {
				return faulty.Fault{}
			}
			tries++
			return faulty.Before(errInjected)
		})))
		for len(w.entries) > 0 {
			w.grow(t, 1)
			f.Wake()
			time.Sleep(Interval)
		}
		synctest.Wait()
		if tries < 4 || tries > 7 {
			t.Errorf("%d tries in half a minute", tries)
		}
		if err := f.Close(ctx); !errors.Is(err, errInjected) {
			t.Errorf("Close: %v", err)
		}
	})
}

// A store that takes nothing is not asked for everything in each round.
func TestDeadStoreIsAskedLittle(t *testing.T) {
	story := journaltest.NewStory(lake)
	for _, name := range strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x y z") {
		story.CreateNamespace(journal.Namespace{name}, nil)
	}
	w := newWorld(t, memory.New(), story)
	w.grow(t, 100)
	store := hook(w.files, func(_ int, op faulty.Op, _ string) faulty.Fault {
		if op == faulty.Put {
			return faulty.Before(errInjected)
		}
		return faulty.Fault{}
	})
	if r := w.working(store).round(ctx, func() {}); r.tried != parallel || len(r.failures) != parallel || !r.again {
		t.Errorf("%+v", r)
	}
}

// TestHangingStore: Wake and Progress return while a write hangs, and Close gives
// up when its context ends.
func TestHangingStore(t *testing.T) {
	bubble(t, busy(), func(t *testing.T, w *world) {
		w.grow(t, 3)
		release := make(chan struct{})
		f := Follow(w.options(hook(w.files, func(int, faulty.Op, string) faulty.Fault {
			<-release
			return faulty.Fault{}
		})))
		for range 3 {
			f.Wake()
			synctest.Wait()
			f.Progress()
		}
		short, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		if err := f.Forget(short, lake); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Forget: %v", err)
		}
		if err := f.Close(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close: %v", err)
		}
		close(release)
	})
}

// unreadable is a journal that cannot be read now and then.
type unreadable struct {
	journal.Reader
	broken *bool
}

func (u unreadable) Head(ctx context.Context) (journal.Position, error) {
	if *u.broken {
		return journal.Position{}, errInjected
	}
	return u.Reader.Head(ctx)
}

func TestJournalThatCannotBeRead(t *testing.T) {
	w := newWorld(t, memory.New(), busy())
	w.grow(t, 3)
	broken := true
	now := w.working(w.files)
	now.From = unreadable{now.From, &broken}
	if r := now.round(ctx, func() {}); !errors.Is(r.err, errInjected) || !r.again || len(r.failures) != 1 {
		t.Errorf("%+v", r)
	}
	broken = false
	must(t, now.round(ctx, func() {}).err)
	w.wantFold(t)
}

// A clean stop leaves nothing to be looked at again.
func TestCleanRestartReadsNoSidecar(t *testing.T) {
	w := newWorld(t, memory.New(), busy())
	w.grow(t, 3)
	w.settled(t, w.files)
	gets := 0
	store := hook(w.files, func(_ int, op faulty.Op, key string) faulty.Fault {
		if op == faulty.Get && key != cursorKey {
			gets++
		}
		return faulty.Fault{}
	})
	now := w.working(store)
	must(t, now.round(ctx, func() {}).err)
	w.grow(t, 3)
	must(t, now.round(ctx, func() {}).err)
	w.wantFold(t)
	if gets != 0 {
		t.Errorf("%d sidecars were read", gets)
	}
}

// What does not fit is read when there is room again, without a wake-up, and by
// Close at once.
func TestMoreThanFits(t *testing.T) {
	for _, closes := range []bool{false, true} {
		bubble(t, several(), func(t *testing.T, w *world) {
			w.grow(t, 100)
			o := w.options(w.files)
			f := follow(work{Options: o, pending: map[string]*entry{}, room: 2, together: 1})
			if !closes {
				time.Sleep(3 * Interval)
				synctest.Wait()
				w.wantFold(t)
			}
			must(t, f.Close(ctx))
			w.wantFold(t)
			if p := f.Progress(); p.Behind != 0 || p.Err != nil {
				t.Errorf("%+v", p)
			}
		})
	}
}
