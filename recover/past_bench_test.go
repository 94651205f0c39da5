package recover_test

import (
	"runtime"
	"testing"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/projections"
)

// BenchmarkPast finds out what was true as of the middle of a journal and its end, the
// first time that somebody asks.
func BenchmarkPast(b *testing.B) {
	path, id := history(b)
	j, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	lineage, none := journal.Lineage(j, id), projections.NewState(id)
	head, err := lineage.Head(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	var past *projections.Past
	before := cpu()
	for b.Loop() {
		past = projections.NewPast(id, lineage, none)
		for _, seq := range []journal.Seq{head.Seq / 2, head.Seq} {
			if _, err := past.At(b.Context(), seq); err != nil {
				b.Fatal(err)
			}
		}
	}
	n := float64(b.N * int(head.Seq))
	b.ReportMetric(n/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64((cpu()-before).Microseconds())/n, "cpu-µs/event")
	runtime.GC()
	var held runtime.MemStats
	runtime.ReadMemStats(&held)
	b.ReportMetric(float64(held.HeapInuse>>20), "held-MiB")
	runtime.KeepAlive(past)
}
