package archive_test

import (
	"context"
	"fmt"
	"testing"

	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections/archive"
)

// committed is a journal of so many commits of one table, each with a patch of a few
// hundred bytes kept beside it.
func committed(tb testing.TB, n int) *world {
	tb.Helper()
	story := journaltest.NewStory(lake)
	story.CreateNamespace(journal.Namespace{"sales"}, nil)
	orders := journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: "orders"}
	story.CreateTable(orders)
	for range n {
		story.Commit(orders)
	}
	for i := range story.Drafts {
		story.Drafts[i].Documents, story.Drafts[i].Request = nil, nil
		if moves := (journal.Event{Body: story.Drafts[i].Body}).Moves(); len(moves) == 1 {
			story.Drafts[i].Documents = []journal.Document{{Codec: journal.CodecWholeZstd, Data: fmt.Appendf(nil, "%0300d", i)}}
		}
	}
	w := newWorld(nil)
	w.pending = formed(tb.(*testing.B), story.Drafts, "one", 0)
	w.grow(tb.(*testing.B), len(w.pending))
	return w
}

// What an event costs to seal, in segments of 500 and alone; what the store takes for
// it is not in it.
func BenchmarkSeal(b *testing.B) {
	for _, events := range []int{archive.MaxSegmentEvents, 1} {
		b.Run(fmt.Sprint(events), func(b *testing.B) {
			w := committed(b, 2000)
			b.ResetTimer()
			for range b.N {
				if err := w.sealer(memory.New(), events).Seal(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(w.all)), "us/event")
		})
	}
}

// What an event costs to read from an archive, decoded and checked.
func BenchmarkScan(b *testing.B) {
	w := committed(b, 20_000)
	if err := w.sealer(w.disk, archive.MaxSegmentEvents).Seal(ctx); err != nil {
		b.Fatal(err)
	}
	size, segments := 0, 0
	for e, err := range w.disk.List(ctx, "") {
		if err != nil {
			b.Fatal(err)
		}
		size, segments = size+int(e.Size), segments+1
	}
	b.ResetTimer()
	for range b.N {
		a, err := archive.Open(ctx, w.disk)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, err := range a.Warehouse(lake).Scan(ctx, 0) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != len(w.all) {
			b.Fatalf("%d events", n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(w.all)), "us/event")
	b.ReportMetric(float64(size)/float64(len(w.all)), "bytes/event")
	b.ReportMetric(float64(segments), "objects")
}
