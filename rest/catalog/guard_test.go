package catalog

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"puddle/journal"
)

func placed(paths ...string) []journal.Place {
	places := make([]journal.Place, len(paths))
	for i, p := range paths {
		places[i] = journal.Place{Path: p, Role: "location"}
	}
	return places
}

// side is one of the two ways to be at places.
type side func(c *Catalog, ctx context.Context, places []journal.Place) (func(), error)

var (
	occupies side = (*Catalog).occupy
	clears   side = (*Catalog).Clear
)

// begin asks in a goroutine of its own; what it answers tells whether it is in.
func (s side) begin(ctx context.Context, c *Catalog, places []journal.Place) (in func() bool, release func(), failed func() error) {
	var give func()
	var err error
	done := false
	go func() {
		give, err = s(c, ctx, places)
		done = true
	}()
	synctest.Wait()
	in = func() bool { synctest.Wait(); return done && err == nil }
	return in, func() { synctest.Wait(); give() }, func() error { synctest.Wait(); return err }
}

// Who occupies and who clears keep each other out exactly where places overlap, by
// whole segments (case 130); others of their own kind they never do.
func TestGuardExcludes(t *testing.T) {
	for _, test := range []struct {
		a, b  string
		apart bool
	}{
		{"/w/a/", "/w/a/", false},
		{"/w/a/", "/w/a/b/", false},
		{"/w/a/b/", "/w/a/", false},
		{"/w/a/", "/w/ab/", true},
		{"/w/a/", "//w/a/", true},
		{"//b/w/", "//b/w/t/", false},
	} {
		for name, sides := range map[string][2]side{"occupy, clear": {occupies, clears}, "clear, occupy": {clears, occupies}} {
			synctest.Test(t, func(t *testing.T) {
				c := New(Options{})
				first, release, _ := sides[0].begin(t.Context(), c, placed("/w/x/", test.a))
				second, leave, _ := sides[1].begin(t.Context(), c, placed(test.b, "/w/y/"))
				if !first() || second() != test.apart {
					t.Errorf("%s of %s and %s: in %v", name, test.a, test.b, second())
				}
				release()
				if !second() {
					t.Errorf("%s of %s and %s: never in", name, test.a, test.b)
				}
				leave()
			})
		}
	}
	for name, s := range map[string]side{"occupy": occupies, "clear": clears} {
		synctest.Test(t, func(t *testing.T) {
			c := New(Options{})
			first, release, _ := s.begin(t.Context(), c, placed("/w/a/"))
			second, leave, _ := s.begin(t.Context(), c, placed("/w/a/"))
			if !first() || !second() {
				t.Errorf("two who %s keep each other out", name)
			}
			release()
			leave()
		})
	}
}

// Nobody is overtaken: a job that clears a place again and again lets those in
// who asked in between.
func TestGuardIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{})
		_, release, _ := clears.begin(t.Context(), c, placed("/w/a/"))
		birth, born, _ := occupies.begin(t.Context(), c, placed("/w/a/t/"))
		again, leave, _ := clears.begin(t.Context(), c, placed("/w/a/"))
		if birth() || again() {
			t.Fatal("somebody is in beside the first")
		}
		release()
		release() // changes nothing
		if !birth() || again() {
			t.Fatalf("in: the birth %v, the next batch %v", birth(), again())
		}
		born()
		if !again() {
			t.Fatal("the next batch is never in")
		}
		leave()
	})
}

// Who stops waiting holds nothing, and nobody waits for them.
func TestGuardEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{})
		_, release, _ := clears.begin(t.Context(), c, placed("/w/a/"))
		ctx, cancel := context.WithCancelCause(t.Context())
		_, _, failed := occupies.begin(ctx, c, placed("/w/a/"))
		cancel(errors.New("gone"))
		var refused *Error
		if err := failed(); !errors.As(err, &refused) || refused.Code != Unavailable || refused.Err.Error() != "gone" {
			t.Errorf("the error is %v", err)
		}
		release()
		in, leave, _ := clears.begin(t.Context(), c, placed("/w/a/"))
		if !in() {
			t.Error("who went away is waited for")
		}
		leave()
		if len(c.guard.occupiers)+len(c.guard.clearers) != 0 {
			t.Error("somebody is left in the lists")
		}
	})
}

// Law 13, its half here: whoever comes and goes, no clearer is at a place where an
// occupier is.
func TestLawGuard(t *testing.T) {
	paths := rapid.SliceOfN(rapid.SampledFrom([]string{"/w/a/", "/w/a/b/", "/w/ab/", "/w/", "/v/"}), 1, 3)
	rapid.Check(t, func(rt *rapid.T) {
		c := New(Options{})
		var mu sync.Mutex
		inside := map[*stay]bool{} // guarded by mu: true for who clears
		var group sync.WaitGroup
		for i := range rapid.IntRange(2, 12).Draw(rt, "goroutines") {
			me, clearing := &stay{places: placed(paths.Draw(rt, "places")...)}, rapid.Bool().Draw(rt, "clears")
			s := occupies
			if clearing {
				s = clears
			}
			group.Go(func() {
				release, err := s(c, context.Background(), me.places)
				if err != nil {
					rt.Errorf("%d: %v", i, err)
					return
				}
				mu.Lock()
				for other, clears := range inside {
					if clears != clearing && me.overlaps(other) {
						rt.Errorf("%v beside %v", me.places, other.places)
					}
				}
				inside[me] = clearing
				mu.Unlock()
				runtime.Gosched()
				mu.Lock()
				delete(inside, me)
				mu.Unlock()
				release()
			})
		}
		group.Wait()
	})
}

// Without anybody who clears, to occupy takes no place of anybody's.
func BenchmarkOccupy(b *testing.B) {
	c, places := New(Options{}), placed("/w/a/", "/w/b/")
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			release, err := c.occupy(context.Background(), places)
			if err != nil {
				b.Error(err)
				return
			}
			release()
		}
	})
}
