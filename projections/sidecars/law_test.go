package sidecars

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
)

// Sidecars are the fold of the journal once all is quiet, whatever failed before,
// however often the process ended, and whatever became of the cursor or of files.
func TestLawSidecarsAreTheFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, memory.New(), journaltest.DrawStory(t, lake))
		seed := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		rate := rapid.SampledFrom([]float64{0, 0.05, 0.3, 0.9}).Draw(t, "rate of faults")
		store := hook(w.files, func(int, faulty.Op, string) faulty.Fault {
			switch chance := seed.Float64(); {
			case chance < rate/2:
				return faulty.Before(errInjected)
			case chance < rate:
				return faulty.After(errInjected)
			}
			return faulty.Fault{}
		})
		room, together := rapid.SampledFrom([]int{1, 4, 1000}).Draw(t, "room"), rapid.IntRange(1, 20).Draw(t, "together")
		start := func() *work {
			now := w.working(store)
			now.room, now.together = room, together
			return now
		}
		now := start()
		for len(w.entries) > 0 {
			w.grow(t, rapid.IntRange(1, 12).Draw(t, "events"))
			for range rapid.IntRange(0, 3).Draw(t, "rounds") {
				now.round(ctx, func() {})
			}
			switch rapid.SampledFrom([]string{"", "", "", "restart", "lost cursor", "lost file", "damaged file", "lost all"}).Draw(t, "what happens") {
			case "restart":
				now = start()
			case "lost cursor":
				must(t, w.files.Delete(ctx, cursorKey))
				now = start()
			case "lost file":
				for key := range stored(t, w.files) {
					must(t, w.files.Delete(ctx, key))
					break
				}
				must(t, w.files.Delete(ctx, cursorKey))
				now = start()
			case "damaged file":
				for key, data := range stored(t, w.files) {
					must(t, w.files.Put(ctx, key, []byte(data[:len(data)/2])))
					break
				}
				must(t, w.files.Put(ctx, cursorKey, []byte("{")))
				now = start()
			case "lost all":
				for key := range stored(t, w.files) {
					must(t, w.files.Delete(ctx, key))
				}
				must(t, w.files.Delete(ctx, cursorKey))
				now = start()
			}
		}
		w.settled(t, w.files)
		w.wantFold(t)
	})
}

// A sidecar never goes back: not to an earlier event, and no purged one returns,
// however far the cursor is behind.
func TestLawSidecarsNeverGoBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, memory.New(), journaltest.DrawStory(t, lake))
		newestSeq := map[string]journal.Seq{}
		check := func() {
			for found, err := range List(ctx, w.files) {
				must(t, err)
				must(t, found.Err)
				var seq journal.Seq
				if found.Object != nil {
					seq = found.Object.Seq
				} else {
					seq = found.Namespace.Seq
				}
				if seq < newestSeq[found.Key] {
					t.Fatalf("%s went from %d to %d", found.Key, newestSeq[found.Key], seq)
				}
				newestSeq[found.Key] = seq
			}
		}
		store := hook(w.files, func(n int, op faulty.Op, key string) faulty.Fault {
			if op == faulty.Put && key == cursorKey && n%2 == 0 {
				return faulty.Before(errInjected)
			}
			return faulty.Fault{}
		})
		for len(w.entries) > 0 {
			w.grow(t, rapid.IntRange(1, 8).Draw(t, "events"))
			w.working(store).round(ctx, check)
			check()
		}
		w.settled(t, w.files)
		w.wantFold(t)
	})
}

// Every call of the store fails, before or after it took effect, or is the last of
// the process (law 5).
func TestFaultMatrix(t *testing.T) {
	calls := faultAt(t, 0, "")
	for at := 1; at <= calls; at++ {
		for _, how := range []string{"fails before", "fails after", "killed before", "killed after"} {
			t.Run(fmt.Sprint(at, " ", how), func(t *testing.T) { faultAt(t, at, how) })
		}
	}
	if calls < 25 {
		t.Errorf("%d calls", calls)
	}
}

// faultAt follows a history, a few events at a time, with a fault at one call, and
// then goes on in a new process. It answers the number of calls.
func faultAt(t *testing.T, at int, how string) int {
	t.Helper()
	w := newWorld(t, memory.New(), sales())
	dead := false
	store := hook(w.files, func(n int, _ faulty.Op, _ string) faulty.Fault {
		switch {
		case dead:
			return faulty.Before(errInjected)
		case n != at:
			return faulty.Fault{}
		}
		dead = slices.Contains([]string{"killed before", "killed after"}, how)
		if how == "fails before" || how == "killed before" {
			return faulty.Before(errInjected)
		}
		return faulty.After(errInjected)
	})
	now := w.working(store)
	for len(w.entries) > 0 {
		w.grow(t, 3)
		now.round(ctx, func() {})
	}
	for range 3 {
		now.round(ctx, func() {})
	}
	if !dead {
		w.wantFold(t)
	}
	calls := store.calls
	w.settled(t, w.files)
	w.wantFold(t)
	return calls
}
