package catalog_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// BenchmarkCommit is a commit on a disk from end to end: file, event, pointer.
// Each writer has a table of its own.
func BenchmarkCommit(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			g := onDisk(b, b.TempDir())
			defer g.close(b)
			p := g.start(b, nil)
			defer p.stop(b)
			p.namespace(b, nil, "n")
			for w := range writers {
				p.table(b, fmt.Sprint("t", w), "")
			}
			var n atomic.Int64
			var group sync.WaitGroup
			b.ResetTimer()
			for w := range writers {
				group.Go(func() {
					for i := n.Add(1); i <= int64(b.N); i = n.Add(1) {
						if _, err := p.commit(b, fmt.Sprint("t", w), "", set("k", fmt.Sprint(i))); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			group.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
		})
	}
}

// BenchmarkLoad reads one table's current version from a disk.
func BenchmarkLoad(b *testing.B) {
	g := onDisk(b, b.TempDir())
	defer g.close(b)
	p := g.start(b, nil)
	defer p.stop(b)
	p.namespace(b, nil, "n")
	p.table(b, "t", "")
	for b.Loop() {
		p.load(b, "t")
	}
}
