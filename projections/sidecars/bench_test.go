package sidecars

import (
	"fmt"
	"syscall"
	"testing"

	"puddle/internal/warehouse/dir"
	"puddle/journal"
	"puddle/journal/journaltest"
)

// BenchmarkSecond is what a second of 1000 commits to 1, 8 and 64 tables costs: the
// events are read and folded, and a sidecar a table is written. CPU is the
// process's, a commit.
func BenchmarkSecond(b *testing.B) {
	for _, tables := range []int{1, 8, 64} {
		b.Run(fmt.Sprint("tables=", tables), func(b *testing.B) {
			const commits = 1000
			s := journaltest.NewStory(lake)
			s.CreateNamespace(journal.Namespace{"n"}, nil)
			for i := range commits {
				s.Commit(journal.Identifier{Namespace: journal.Namespace{"n"}, Name: fmt.Sprint("t", i%tables)})
			}
			store, err := dir.Open(b.TempDir())
			must(b, err)
			defer store.Close()
			w := newWorld(b, store, s)
			w.grow(b, len(s.Drafts))
			first := journaltest.Events(b, w.lineage(), 1)[0]
			before := used(b)
			for b.Loop() {
				now := w.working(store)
				now.began, now.read = true, first.Position
				must(b, now.round(ctx, func() {}).err)
			}
			b.ReportMetric(float64(used(b)-before)/float64(b.N)/commits, "cpu-ns/commit")
		})
	}
}

// used is the CPU time of this process in nanoseconds.
func used(b *testing.B) int64 {
	b.Helper()
	var u syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return u.Utime.Nano() + u.Stime.Nano()
}
