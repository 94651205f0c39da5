//go:build unix

package catalog_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"puddle/rest/catalog"
)

// manySnapshots are what the tables of the benchmarks have.
const manySnapshots = 2000

// large makes a table with so many snapshots of the size that Spark writes, on a
// disk.
func large(b *testing.B, p *process, snapshots int64) catalog.Table {
	b.Helper()
	p.namespace(b, nil, "n")
	d := read(b, p.table(b, "t", "").Metadata)
	var updates strings.Builder
	for n := range snapshots {
		updates.WriteString(wide(n+1, d.Sequence+1+n, d.Updated) + ",")
	}
	table, err := p.commit(b, "t", "", updates.String()+setRef("main", snapshots))
	must(b, err)
	return table
}

// wide adds a snapshot with a summary as long as Spark's.
func wide(snapshot, sequence, at int64) string {
	parent := ""
	if snapshot > 1 {
		parent = fmt.Sprintf(`"parent-snapshot-id":%d,`, snapshot-1)
	}
	return fmt.Sprintf(`{"action":"add-snapshot","snapshot":{"snapshot-id":%d,%s"sequence-number":%d,"timestamp-ms":%d,`+
		`"manifest-list":"file:///lake/n/t/metadata/snap-%d-1-00000000-0000-4000-8000-%012x.avro","schema-id":0,"summary":{"operation":"append",`+
		`"added-data-files":"1","added-records":"1000","added-files-size":"104857","changed-partition-count":"1","total-records":"%d",`+
		`"total-files-size":"%d","total-data-files":"%d","total-delete-files":"0","total-position-deletes":"0","total-equality-deletes":"0"}}}`,
		snapshot, parent, sequence, at, snapshot, snapshot, snapshot*1000, snapshot*104857, snapshot)
}

// cpu is the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var use syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &use))
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// BenchmarkLargeCommit is an append to a table with many snapshots, of which the
// oldest goes, from end to end on a disk. cpu-ms/op is the time of the processors,
// kept-B/op what the journal keeps of its document.
func BenchmarkLargeCommit(b *testing.B) {
	g := onDisk(b, b.TempDir())
	w := watch(g)
	defer g.close(b)
	p := g.start(b, nil)
	defer p.stop(b)
	table := large(b, p, manySnapshots)
	before := w.bytes
	next := read(b, table.Metadata)
	b.SetBytes(int64(len(table.Metadata)))
	b.ResetTimer()
	began := cpu(b)
	for n := int64(manySnapshots + 1); n <= int64(manySnapshots+b.N); n++ {
		next.Sequence++
		updates := wide(n, next.Sequence, next.Updated) + "," + setRef("main", n) +
			fmt.Sprintf(`,{"action":"remove-snapshots","snapshot-ids":[%d]}`, n-manySnapshots)
		_, err := p.commit(b, "t", fmt.Sprintf(`{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":%d}`, n-1), updates)
		must(b, err)
	}
	b.ReportMetric(float64(cpu(b)-began)/float64(b.N)/1e6, "cpu-ms/op")
	b.ReportMetric(float64(w.bytes-before)/float64(b.N), "kept-B/op")
}
