package fuzztest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// slack is what a parser may take whatever it reads: decoders keep buffers for the next
// who asks.
const slack = 8 << 20

// Bounded runs a parser and fails when it has allocated more than so many times the bytes
// that it was given, and some megabytes; claimed is what a length in the bytes may make it
// take beyond that. Nothing else may allocate meanwhile, as is so in a fuzz target.
func Bounded(t *testing.T, given, times, claimed int, parse func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	parse()
	runtime.ReadMemStats(&after)
	if took, may := after.TotalAlloc-before.TotalAlloc, uint64(given)*uint64(times)+uint64(claimed)+slack; took > may {
		t.Fatalf("%d bytes took %d bytes of memory, over %d", given, took, may)
	}
}

// Files reads the files that match patterns, for seeds. A pattern that matches none is an
// error.
func Files(f *testing.F, patterns ...string) [][]byte {
	f.Helper()
	var all [][]byte
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			f.Fatalf("no seeds at %s: %v", pattern, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			all = append(all, data)
		}
	}
	return all
}
