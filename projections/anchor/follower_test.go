package anchor_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections/anchor"
)

// history is a journal that grows, with the events it will have.
type history struct {
	*journal.Memory
	entries []journal.Entry
	id      uuid.UUID
}

func newHistory(t *testing.T) *history {
	id := uuid.MustParse("0199a3c2-7f4e-7c11-9d52-3b8f6a1e0c47")
	story := journaltest.NewStory(id)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		story.CreateNamespace(journal.Namespace{name}, nil)
	}
	h := &history{Memory: journal.NewMemory(), entries: journaltest.Entries(t, story.Drafts, journaltest.Start), id: id}
	h.grow(t)
	return h
}

func (h *history) reader() journal.Reader { return h.Warehouse(h.id) }

// grow appends the next event and returns it.
func (h *history) grow(t *testing.T) journal.Event {
	t.Helper()
	next := h.entries[0]
	h.entries = h.entries[1:]
	if err := h.Append(ctx, next); err != nil {
		t.Fatal(err)
	}
	return next.Event
}

// puts is a store that counts its puts of head.json and fails some of them.
type puts struct {
	*faulty.Store

	mu    sync.Mutex
	times []time.Duration // since it was made; guarded by mu
	fault faulty.Fault    // of all puts from now on; guarded by mu
}

func newPuts() *puts {
	p, start := &puts{}, time.Now()
	p.Store = faulty.New(memory.New(), func(op faulty.Op, _ string) faulty.Fault {
		if op != faulty.Put {
			return faulty.Fault{}
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.times = append(p.times, time.Since(start))
		return p.fault
	})
	return p
}

func (p *puts) fail(fault faulty.Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = fault
}

// at are the times of the puts so far, when nothing moves any more.
func (p *puts) at() []time.Duration {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.times)
}

func (p *puts) want(t *testing.T, times ...time.Duration) {
	t.Helper()
	if got := p.at(); !slices.Equal(got, times) {
		t.Fatalf("written at %v, want %v", got, times)
	}
}

func wantHead(t *testing.T, store *puts, event journal.Event) {
	t.Helper()
	head, found, err := anchor.ReadHead(ctx, store)
	if !found || err != nil || head.Position != event.Position || !head.At.Equal(event.At) {
		t.Errorf("head %s at %s, %v, %v; want %s at %s", head, head.At, found, err, event.Position, event.At)
	}
}

func neverFails(t *testing.T) func(error) {
	return func(err error) { t.Errorf("failed: %v", err) }
}

func TestHeadIsWrittenOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, store := newHistory(t), newPuts()
		f := anchor.Follow(store, h.Memory, h.id, neverFails(t))
		store.want(t)
		first := h.grow(t)
		f.Wake()
		store.want(t, 0)
		wantHead(t, store, first)

		h.grow(t)
		for range 100 {
			f.Wake()
		}
		time.Sleep(anchor.Interval - time.Nanosecond)
		last := h.grow(t)
		f.Wake()
		store.want(t, 0)
		time.Sleep(time.Nanosecond)
		store.want(t, 0, anchor.Interval)
		wantHead(t, store, last)

		f.Wake() // nothing is new
		time.Sleep(time.Hour)
		store.want(t, 0, anchor.Interval)
		if err := f.Close(ctx); err != nil {
			t.Fatal(err)
		}
		store.want(t, 0, anchor.Interval)
	})
}

func TestCloseWritesWhatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, store := newHistory(t), newPuts()
		f := anchor.Follow(store, h.Memory, h.id, neverFails(t))
		f.Wake()
		store.want(t, 0)
		last := h.grow(t)
		if err := f.Close(ctx); err != nil {
			t.Fatal(err)
		}
		store.want(t, 0, 0)
		wantHead(t, store, last)
		f.Wake()
		time.Sleep(time.Hour)
		store.want(t, 0, 0)
	})
}

func TestUnbornJournalHasNoAnchor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newPuts()
		f := anchor.Follow(store, journal.NewMemory(), uuid.New(), neverFails(t))
		f.Wake()
		if err := f.Close(ctx); err != nil {
			t.Fatal(err)
		}
		store.want(t)
	})
}

// TestFailingStoreOnlyDelays: each failure is reported, and tried again by
// itself after 1, 2, 4, … seconds, with the newest head.
func TestFailingStoreOnlyDelays(t *testing.T) {
	for _, fault := range []faulty.Fault{faulty.Before(errors.New("full")), faulty.After(errors.New("lost"))} {
		synctest.Test(t, func(t *testing.T) {
			h, store := newHistory(t), newPuts()
			store.fail(fault)
			var failures []error
			f := anchor.Follow(store, h.Memory, h.id, func(err error) { failures = append(failures, err) })
			f.Wake()
			time.Sleep(4 * time.Second)
			store.want(t, 0, 1*time.Second, 3*time.Second)
			if len(failures) != 3 || !errors.Is(failures[2], fault.Err) {
				t.Errorf("reported %v", failures)
			}
			if s := f.State(); !s.Written.IsZero() || !errors.Is(s.Err, fault.Err) || s.Failed != 3 {
				t.Errorf("while it fails: %+v", s)
			}
			store.fail(faulty.Fault{})
			last := h.grow(t)
			f.Wake()
			time.Sleep(3 * time.Second)
			store.want(t, 0, 1*time.Second, 3*time.Second, 7*time.Second)
			wantHead(t, store, last)
			if s := f.State(); s.Written != last.Position || s.Err != nil || s.Failed != 3 {
				t.Errorf("when it is written: %+v", s)
			}

			h.grow(t) // the pause is a second again
			f.Wake()
			time.Sleep(time.Second)
			store.want(t, 0, 1*time.Second, 3*time.Second, 7*time.Second, 8*time.Second)
			if err := f.Close(ctx); err != nil || len(failures) != 3 {
				t.Errorf("%v; reported %v", err, failures)
			}
		})
	}
}

func TestPauseIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, store := newHistory(t), newPuts()
		full := errors.New("full")
		store.fail(faulty.Before(full))
		f := anchor.Follow(store, h.Memory, h.id, func(error) {})
		f.Wake()
		time.Sleep(time.Hour)
		times := store.at()
		if pause := times[len(times)-1] - times[len(times)-2]; pause != time.Minute {
			t.Errorf("pause %s, want a minute", pause)
		}
		if err := f.Close(ctx); !errors.Is(err, full) {
			t.Errorf("Close: %v", err)
		}
	})
}

// TestHangingStore: Wake returns while a write hangs, and Close gives up when
// its context ends.
func TestHangingStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory(t)
		release := make(chan struct{})
		store := faulty.New(memory.New(), func(faulty.Op, string) faulty.Fault {
			<-release
			return faulty.Fault{}
		})
		f := anchor.Follow(store, h.Memory, h.id, neverFails(t))
		for range 3 {
			f.Wake()
			synctest.Wait()
		}
		short, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		if err := f.Close(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close: %v", err)
		}
		close(release)
	})
}

func TestCheck(t *testing.T) {
	h, store := newHistory(t), newPuts()
	h.grow(t)
	short, entries := newHistory(t), h.entries
	f := anchor.Follow(store, h.Memory, h.id, neverFails(t))
	if err := f.Close(ctx); err != nil {
		t.Fatal(err)
	}
	head, _, err := anchor.ReadHead(ctx, store)
	if err != nil {
		t.Fatal(err)
	}
	foreign, edited := head, head
	foreign.Incarnation = uuid.New()
	edited.Hash[0]++
	for name, test := range map[string]struct {
		head    anchor.Head
		journal *history
		want    error
	}{
		"same":              {head, h, nil},
		"rolled back":       {head, short, anchor.ErrRolledBack},
		"other incarnation": {foreign, h, anchor.ErrOtherHistory},
		"other hash":        {edited, h, anchor.ErrOtherHistory},
	} {
		if err := test.head.Check(ctx, test.journal.reader()); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	if err := h.Append(ctx, entries...); err != nil {
		t.Fatal(err)
	}
	if err := head.Check(ctx, h.reader()); err != nil {
		t.Errorf("journal ahead of its anchor: %v", err)
	}
	if err := edited.Check(ctx, h.reader()); !errors.Is(err, anchor.ErrOtherHistory) {
		t.Errorf("other hash in the middle: %v", err)
	}
}
