package catalog

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// inLogs are files by the name of each, with what their logs name.
func inLogs(logs map[string][]string) map[string]relative {
	found := map[string]relative{}
	for at, log := range logs {
		found[at] = relative{at: at, log: log}
	}
	return found
}

// As many as a search takes, each with the one before it in its log and some with another
// after them: two lines that part in the middle have two ends.
func TestTipsOfMany(t *testing.T) {
	logs := map[string][]string{}
	name := func(i int) string { return fmt.Sprintf("%05d", i) }
	for i := 1; i <= maxSearched; i++ {
		logs[name(i)] = []string{name(i - 1)}
	}
	if got := tipsOf(inLogs(logs), name(0)); !slices.Equal(got, []string{name(maxSearched)}) {
		t.Error(got)
	}
	logs[name(maxSearched/2)] = []string{name(maxSearched/2 - 2), "elsewhere"}
	if got := tipsOf(inLogs(logs), name(0)); !slices.Equal(got, []string{name(maxSearched/2 - 1), name(maxSearched)}) {
		t.Error(got)
	}
}

// A tip descends, and nobody who does names it: whatever logs say, of themselves, in circles
// and of files that are not there.
func TestTipsLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"})
		logs := rapid.MapOf(files, rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "from", "gone"}), 0, 3)).Draw(t, "logs")
		var descends func(at string, seen ...string) bool
		descends = func(at string, seen ...string) bool {
			return at == "from" || !slices.Contains(seen, at) && slices.ContainsFunc(logs[at], func(before string) bool { return descends(before, append(seen, at)...) })
		}
		want := map[string]bool{}
		for at := range logs {
			want[at] = descends(at)
		}
		for at, log := range logs {
			for _, before := range log {
				if descends(at) && before != at {
					delete(want, before)
				}
			}
		}
		for _, tip := range tipsOf(inLogs(logs), "from") {
			if !want[tip] {
				t.Errorf("%s is a tip", tip)
			}
			delete(want, tip)
		}
		for at, tip := range want {
			if tip {
				t.Errorf("%s is no tip", at)
			}
		}
	})
}
