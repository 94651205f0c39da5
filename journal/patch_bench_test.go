package journal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// snapshot is the n-th of a table, with a summary as Spark writes it.
func snapshot(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	var id uuid.UUID
	for i := range id {
		id[i] = byte(r.Uint32())
	}
	return fmt.Sprintf(`{"sequence-number":%d,"snapshot-id":%d,"parent-snapshot-id":%d,"timestamp-ms":%d,"summary":{"operation":"append","spark.app.id":"application_1717171717171_%04d",`+
		`"added-data-files":"%d","added-records":"%d","added-files-size":"%d","changed-partition-count":"%d","total-records":"%d","total-files-size":"%d","total-data-files":"%d",`+
		`"total-delete-files":"0","total-position-deletes":"0","total-equality-deletes":"0","engine-version":"3.5.1","app-id":"application_1717171717171_%04d","engine-name":"spark",`+
		`"iceberg-version":"Apache Iceberg 1.9.2 (commit 071d5606bc6199a0be9b3f274ec7fbf111d88821)"},"manifest-list":"s3://lake/wh/sales/orders-%s/metadata/snap-%d-1-%s.avro","schema-id":0}`,
		n, snapshotID(n), snapshotID(n-1), 1717171717171+int64(n)*60_123, n/40, 1+r.IntN(20), r.IntN(1_000_000), r.IntN(1<<30), r.IntN(9), n*500_000+r.IntN(1000),
		n*(1<<29)+r.IntN(1<<20), n*10+r.IntN(9), n/40, "0f9d2a64-1b7c-4e83-a5d6-7e8f9a0b1c2d", snapshotID(n), id)
}

func snapshotID(n int) int64 { return rand.New(rand.NewPCG(uint64(n), 1)).Int64() }

func logEntry(n int) string {
	return fmt.Sprintf(`{"timestamp-ms":%d,"metadata-file":"s3://lake/wh/sales/orders/metadata/%05d-%016x.metadata.json"}`, 1717171717171+int64(n)*60_123, n, snapshotID(n))
}

// document is the metadata of a table with so many snapshots.
func document(snapshots int) []byte {
	var all, log, files []string
	for n := 1; n <= snapshots; n++ {
		all = append(all, snapshot(n))
		log = append(log, fmt.Sprintf(`{"timestamp-ms":%d,"snapshot-id":%d}`, 1717171717171+int64(n)*60_123, snapshotID(n)))
	}
	for n := max(0, snapshots-100); n < snapshots; n++ {
		files = append(files, logEntry(n))
	}
	return fmt.Appendf(nil, `{"format-version":2,"table-uuid":"0f9d2a64-1b7c-4e83-a5d6-7e8f9a0b1c2d","location":"s3://lake/wh/sales/orders","last-sequence-number":%d,"last-updated-ms":%d,`+
		`"current-snapshot-id":%d,"refs":{"main":{"snapshot-id":%d,"type":"branch"}},"snapshots":[%s],"snapshot-log":[%s],"metadata-log":[%s]}`,
		snapshots, 1717171717171+int64(snapshots)*60_123, snapshotID(snapshots), snapshotID(snapshots), strings.Join(all, ","), strings.Join(log, ","), strings.Join(files, ","))
}

var benched = []int{50, 2000, 20_000}

func BenchmarkKeepPatch(b *testing.B) {
	for _, n := range benched {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			base := document(n)
			next := document(n + 1)
			whole, _ := KeepDocument(0, next, 1<<30)
			b.SetBytes(int64(len(next)))
			b.ReportAllocs()
			for b.Loop() {
				d, ok := KeepPatch(0, next, Base{Seq: 1}, base, MaxDocumentBytes)
				if !ok {
					b.Fatal("kept whole")
				}
				b.ReportMetric(float64(len(d.Data)), "patch-bytes")
				b.ReportMetric(float64(len(whole.Data)), "whole-bytes")
			}
		})
	}
}

// BenchmarkKeepWhole is what a patch saves.
func BenchmarkKeepWhole(b *testing.B) {
	for _, n := range benched {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			plain := document(n)
			b.SetBytes(int64(len(plain)))
			b.ReportAllocs()
			for b.Loop() {
				KeepDocument(0, plain, 1<<30)
			}
		})
	}
}

// BenchmarkDiffInVain is what is lost on texts that have nothing, or only
// fragments, in common.
func BenchmarkDiffInVain(b *testing.B) {
	target := document(2000)
	noise := make([]byte, len(target))
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	for name, base := range map[string][]byte{
		"noise":     noise,
		"fragments": bytes.ReplaceAll(document(1), []byte("lake"), []byte("pond")),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(target)))
			for b.Loop() {
				new(differ).diff(base, target, maxOps)
			}
		})
	}
}

// BenchmarkOpen reads the topmost document of chains.
func BenchmarkOpen(b *testing.B) {
	for _, patches := range []int{0, 1, MaxPatches} {
		b.Run(fmt.Sprint(patches), func(b *testing.B) {
			base := document(2000)
			d, _ := KeepDocument(0, base, MaxDocumentBytes)
			chain := []layer{{event: made(1, base), kept: d}}
			for n := range patches {
				next := document(2001 + n)
				d, ok := KeepPatch(0, next, Base{Seq: Seq(n + 1), Patches: n}, base, MaxDocumentBytes)
				if !ok {
					b.Fatal("kept whole")
				}
				chain, base = append(chain, layer{event: made(Seq(n+2), next), kept: d}), next
			}
			shelf := Shelf(func(seq Seq, _ int) (Event, Document, error) { return chain[seq-1].event, chain[seq-1].kept, nil })
			b.SetBytes(int64(len(base)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := shelf.Open(Seq(len(chain)), 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// made is an event that made a document.
func made(seq Seq, plain []byte) Event {
	pointer := Pointer{DocumentSHA256: Sum(plain), Encoding: EncodingNone, Size: int64(len(plain))}
	return Event{Position: Position{Seq: seq}, Body: TableCreated{Moves: [1]Move{{To: &To{Pointer: pointer}}}}}
}
