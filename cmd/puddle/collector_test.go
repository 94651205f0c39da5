package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestMemoryIsLimitedUnlessMoreIsInUse(t *testing.T) {
	for _, c := range []struct{ live, want int64 }{
		{0, goMemory}, {60 << 20, goMemory}, {80 << 20, 145 << 20}, {1 << 30, 2<<30 - 15<<20},
	} {
		if got := limit(c.live); got != c.want {
			t.Errorf("%d bytes are in use: the limit is %d, want %d", c.live, got, c.want)
		}
	}
}

// usually sees to it that the collector is as it was, after the test.
func usually(t *testing.T) {
	percent, limit := debug.SetGCPercent(usualGarbage), debug.SetMemoryLimit(-1)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
}

// Said anew after each collection, until the end.
func TestCollectionsArePaced(t *testing.T) {
	usually(t)
	c := rarerCollections()
	if got := debug.SetGCPercent(spareGarbage); got != spareGarbage {
		t.Errorf("there may be %d %% of garbage", got)
	}
	const others = math.MaxInt64 - 1
	for range 2 {
		if got := debug.SetMemoryLimit(others); got != goMemory {
			t.Fatalf("the limit is %d beside the little that a test has", got)
		}
		for debug.SetMemoryLimit(-1) == others {
			runtime.GC()
			runtime.Gosched()
		}
	}
	c.end()
	c.end()
	if got := debug.SetGCPercent(usualGarbage); got != usualGarbage {
		t.Errorf("in the end there may be %d %%", got)
	}
	if got := debug.SetMemoryLimit(others); got != math.MaxInt64 {
		t.Errorf("in the end the limit is %d", got)
	}
	c.pace()
	if got := debug.SetMemoryLimit(-1); got != others {
		t.Errorf("after the end it said %d", got)
	}
}

func TestEnvironmentOfTheCollectorStays(t *testing.T) {
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Run(name, func(t *testing.T) {
			usually(t)
			t.Setenv(name, "off")
			debug.SetGCPercent(55)
			debug.SetMemoryLimit(math.MaxInt64 - 2)
			rarerCollections().end()
			if got := debug.SetGCPercent(usualGarbage); got != 55 {
				t.Errorf("it said %d %%", got)
			}
			if got := debug.SetMemoryLimit(-1); got != math.MaxInt64-2 {
				t.Errorf("it said a limit of %d", got)
			}
		})
	}
}
