package bolt_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
)

// TestLawFreeListIsNotDoubted opens a journal after every sequence of appends, answers,
// compactions, stops and kills, also in a write.
func TestLawFreeListIsNotDoubted(t *testing.T) {
	entries := history(t, lake, 600)
	rapid.Check(t, func(rt *rapid.T) {
		path := filepath.Join(t.TempDir(), "journal.db")
		start := func() *bolt.Journal {
			j, err := bolt.Open(path, bolt.Options{})
			if err != nil {
				rt.Fatalf("open: %v", err)
			}
			return j
		}
		j, at, wrote := start(), 0, false // since the start
		defer func() { j.Close() }()
		actions := []func(){
			func() { // append
				n := min(rapid.IntRange(1, 40).Draw(rt, "n"), len(entries)-at)
				journaltest.Append(rt, j, entries[at:at+n])
				at, wrote = at+n, true
			},
			func() { // remember
				if at == 0 {
					return
				}
				answer := conflict(rapid.StringMatching(`[a-z]{8}`).Draw(rt, "key"))
				answer.Body = make([]byte, rapid.IntRange(1, 60_000).Draw(rt, "bytes"))
				now := journaltest.Start.Add(time.Duration(rapid.IntRange(0, 2).Draw(rt, "hours")) * time.Hour)
				answer.Until = now.Add(time.Hour)
				if err := j.Remember(t.Context(), lake, now, answer); err != nil && !errors.Is(err, journal.ErrKeyTaken) {
					rt.Fatal(err)
				}
			},
			func() { // stop
				j.Close()
				if rapid.Bool().Draw(rt, "compact") {
					if _, err := bolt.Compact(t.Context(), path, bolt.CompactOptions{}); err != nil {
						rt.Fatal(err)
					}
				}
				j, wrote = start(), false
			},
			func() { // kill
				left, err := os.ReadFile(path)
				if err != nil {
					rt.Fatal(err)
				}
				left = left[:int(freeListOf(rt, left).high)*os.Getpagesize()]
				j.Close()
				if wrote && rapid.Bool().Draw(rt, "in a write") {
					left[freeListOf(rt, left).mark+50] ^= 1
				}
				if err := os.WriteFile(path, left, 0o600); err != nil {
					rt.Fatal(err)
				}
				j, wrote = start(), false
				head, err := j.Warehouse(lake).Head(t.Context())
				if err != nil && !errors.Is(err, journal.ErrNoWarehouse) {
					rt.Fatal(err)
				}
				at = int(head.Seq)
			},
		}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			actions[rapid.IntRange(0, len(actions)-1).Draw(rt, "action")]()
		}
	})
}
