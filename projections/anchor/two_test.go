package anchor_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/leased"
	"puddle/projections/anchor"
)

// paused is a store whose calls of an operation wait until they are let go.
func paused(store warehouse.Store, op faulty.Op) (held warehouse.Store, release func()) {
	gate := make(chan struct{})
	return faulty.New(store, func(did faulty.Op, _ string) faulty.Fault {
		if did == op {
			<-gate
		}
		return faulty.Fault{}
	}), func() { close(gate) }
}

// Of two followers one is paused before it looks, or between its look and its write,
// while the other goes on. In the first case it writes nothing. In the second it sets
// the anchor back, once; the other raises it again when it is woken next, although its
// journal has nothing new.
func TestOneIsOvertaken(t *testing.T) {
	for op, lowers := range map[faulty.Op]bool{faulty.Get: false, faulty.Put: true} {
		synctest.Test(t, func(t *testing.T) {
			h, store := newHistory(t), newPuts()
			old := h.grow(t)
			held, release := paused(store.Store, op)
			late := anchor.Follow(held, h.Memory, h.id, neverFails(t))
			late.Wake()
			synctest.Wait()
			next := anchor.Follow(store, h.Memory, h.id, neverFails(t))
			next.Wake()
			synctest.Wait()
			last := h.grow(t)
			time.Sleep(anchor.Interval)
			next.Wake()
			synctest.Wait()
			wantHead(t, store, last)
			puts := len(store.at())
			release()
			synctest.Wait()
			if lowers {
				wantHead(t, store, old)
			} else if got := len(store.at()); got != puts {
				t.Errorf("it wrote %d times", got-puts)
			}
			time.Sleep(anchor.Interval)
			next.Wake()
			synctest.Wait()
			wantHead(t, store, last)
			for _, f := range []*anchor.Follower{late, next} {
				if err := f.Stop(ctx); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// One that has lost its lease while it was paused writes nothing when it wakes up, nor
// when it is closed.
func TestLostLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, store := newHistory(t), newPuts()
		h.grow(t)
		lost := errors.New("lost")
		var why error
		held, release := paused(leased.New(store, func() error { return why }), faulty.Put)
		var told error
		late := anchor.Follow(held, h.Memory, h.id, func(err error) { told = err })
		late.Wake()
		synctest.Wait()
		why = lost
		release()
		synctest.Wait()
		if !errors.Is(told, lost) || late.State().Err == nil {
			t.Errorf("told %v", told)
		}
		if err := late.Close(ctx); !errors.Is(err, lost) {
			t.Errorf("close: %v", err)
		}
		store.want(t)
	})
}

// Stop leaves the anchor as it is.
func TestStopWritesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, store := newHistory(t), newPuts()
		first := h.grow(t)
		f := anchor.Follow(store, h.Memory, h.id, neverFails(t))
		f.Wake()
		store.want(t, 0)
		h.grow(t)
		f.Wake()
		if err := f.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		store.want(t, 0)
		wantHead(t, store, first)
	})
}
