package main

import (
	"runtime"
	"testing"
)

// Two syncs leave as many goroutines running as there are processors, unless the
// environment says how many there are to be.
func TestMoreProcessors(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for said, want := range map[string]int{"": before + 2, "1": before} {
		t.Setenv("GOMAXPROCS", said)
		runtime.GOMAXPROCS(before)
		moreProcessors()
		if got := runtime.GOMAXPROCS(0); got != want {
			t.Errorf("GOMAXPROCS=%q: %d, want %d", said, got, want)
		}
	}
}
