package verify

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

func file(n int) string { return fmt.Sprintf("file:///w/t/metadata/%05d.metadata.json", n) }

func ofTable(current int) projections.Object {
	return projections.Object{Kind: journal.Table, Pointer: journal.Pointer{MetadataLocation: file(current)}}
}

func relatives(logs map[int][]int) map[string]catalog.Relative {
	found := map[string]catalog.Relative{}
	for n, log := range logs {
		r := catalog.Relative{Location: file(n)}
		for _, before := range log {
			r.Log = append(r.Log, catalog.Path(file(before)))
		}
		found[catalog.Path(r.Location)] = r
	}
	return found
}

func TestVersionsOn(t *testing.T) {
	for name, c := range map[string]struct {
		logs map[int][]int
		want map[int]int
	}{
		"none":            {map[int][]int{1: {}, 2: {1}}, map[int]int{1: 0, 2: 0}},
		"one":             {map[int][]int{1: {0}}, map[int]int{1: 1}},
		"two of one":      {map[int][]int{1: {0}, 2: {0}}, map[int]int{1: 1, 2: 1}},
		"a row":           {map[int][]int{1: {0}, 2: {0, 1}, 3: {0, 1, 2}}, map[int]int{1: 1, 2: 2, 3: 3}},
		"short logs":      {map[int][]int{1: {0}, 2: {1}, 3: {2}}, map[int]int{1: 1, 2: 2, 3: 3}}, // case 38
		"a missing one":   {map[int][]int{1: {0}, 3: {2}}, map[int]int{1: 1, 3: 0}},
		"each from other": {map[int][]int{1: {0, 2}, 2: {1}}, map[int]int{1: 2, 2: 2}},
		"of itself":       {map[int][]int{1: {1, 0}}, map[int]int{1: 1}},
	} {
		d := descend(ofTable(0), relatives(c.logs))
		for n, want := range c.want {
			if got := d.versions(catalog.Path(file(n))); got != want && !(name == "each from other" && got > 1) {
				t.Errorf("%s: file %d is %d versions on, want %d", name, n, got, want)
			}
		}
	}
}

// TestLawDescent compares with what following each log says, whatever the logs are.
func TestLawDescent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logs := rapid.MapOfN(rapid.IntRange(1, 12), rapid.SliceOfN(rapid.IntRange(0, 12), 0, 4), 0, 12).Draw(t, "logs")
		d := descend(ofTable(0), relatives(logs))
		for n := range logs {
			reached := map[int]bool{}
			var walk func(int)
			walk = func(n int) {
				if !reached[n] {
					reached[n] = true
					for _, before := range logs[n] {
						walk(before)
					}
				}
			}
			walk(n)
			got := d.versions(catalog.Path(file(n)))
			if made := reached[0]; made != (got > 0) {
				t.Fatalf("file %d of %v: made %t, %d versions", n, logs, made, got)
			}
			alone := true
			for _, before := range logs[n] {
				_, there := logs[before]
				alone = alone && (!there || before == n)
			}
			if reached[0] && alone != (got == 1) {
				t.Fatalf("file %d of %v: %d versions", n, logs, got)
			}
		}
	})
}

// The work on a long row of files, of which each names a hundred, is that of reading
// their logs.
func BenchmarkDescend(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			logs := map[int][]int{}
			for i := 1; i <= n; i++ {
				for before := max(0, i-100); before < i; before++ {
					logs[i] = append(logs[i], before)
				}
			}
			files := relatives(logs)
			for b.Loop() {
				d := descend(ofTable(0), files)
				for at := range files {
					d.versions(at)
				}
			}
		})
	}
}
