package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestHeapGrowsToTheLeastOrTwiceWhatIsInUse(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		live, roots uint64
		want        int
	}{
		{0, 0, 2000}, {1 * mb, 0, 1975}, {16 * mb, 0, 400}, {16 * mb, 16 * mb, 200}, {40 * mb, 0, 100},
		{40 * mb, 8 * mb, 100}, {80 * mb, 0, 100}, {200 * mb, 0, 100}, {1 << 40, 0, 100},
	} {
		if got := garbage(c.live, c.roots); got != c.want {
			t.Errorf("%d bytes are in use, %d beside: %d %% of garbage, want %d", c.live, c.roots, got, c.want)
		}
	}
}

// Said anew after each collection, until the end.
func TestCollectionsArePaced(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(usualGarbage))
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	c := rarerCollections()
	const others = 123
	for range 2 {
		if got := debug.SetGCPercent(others); got <= usualGarbage {
			t.Fatalf("there may be %d %% of garbage beside the little that a test has", got)
		}
		for said := others; said == others; {
			runtime.GC()
			runtime.Gosched()
			said = debug.SetGCPercent(others)
			if said != others {
				debug.SetGCPercent(said)
			}
		}
	}
	c.end()
	c.end()
	if got := debug.SetGCPercent(others); got != usualGarbage {
		t.Errorf("in the end there may be %d %%", got)
	}
	c.pace()
	if got := debug.SetGCPercent(usualGarbage); got != others {
		t.Errorf("after the end it said %d", got)
	}
}

func TestEnvironmentOfTheCollectorStays(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(usualGarbage))
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOGC", "")
			t.Setenv("GOMEMLIMIT", "")
			t.Setenv(name, "off")
			debug.SetGCPercent(55)
			rarerCollections().end()
			if got := debug.SetGCPercent(usualGarbage); got != 55 {
				t.Errorf("it said %d", got)
			}
		})
	}
}
