package bolt_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
)

func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1, 64, 512} {
		b.Run(fmt.Sprint("group=", size), func(b *testing.B) {
			entries := history(b, lake, 20_480)
			var j *bolt.Journal
			at := len(entries)
			for b.Loop() {
				if at+size > len(entries) { // begin anew
					b.StopTimer()
					j, at = openBench(b), 0
					b.StartTimer()
				}
				if err := j.Append(b.Context(), entries[at:at+size]...); err != nil {
					b.Fatal(err)
				}
				at += size
			}
			b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

func BenchmarkScan(b *testing.B) {
	const n = 10_000
	j := openBench(b)
	journaltest.Append(b, j, history(b, lake, n))
	for name, scan := range map[string]func(journal.Reader) int{
		"forward": func(r journal.Reader) int { return len(journaltest.Events(b, r, 0)) },
		"back": func(r journal.Reader) (seen int) {
			for _, err := range r.ScanBack(b.Context(), 0) {
				if err != nil {
					b.Fatal(err)
				}
				seen++
			}
			return seen
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if seen := scan(j.Warehouse(lake)); seen != n {
					b.Fatalf("%d events", seen)
				}
			}
			b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

func openBench(b *testing.B) *bolt.Journal {
	b.Helper()
	j, err := bolt.Open(filepath.Join(b.TempDir(), "journal.db"), bolt.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { j.Close() })
	return j
}
