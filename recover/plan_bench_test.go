package recover_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/warehouse/dir"
	"puddle/journal"
	"puddle/projections/sidecars"
	"puddle/recover"
)

// BenchmarkPlanSidecars plans a warehouse of 20,000 tables with two metadata files each,
// in a folder: every tenth sidecar is a commit behind.
func BenchmarkPlanSidecars(b *testing.B) {
	const tables = 20_000
	top := b.TempDir()
	many(b, tables, func(key, text string) {
		name := filepath.Join(top, key)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	})
	store, err := dir.Open(top)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	var memory runtime.MemStats
	before := cpu()
	for b.Loop() {
		plan, err := recover.PlanSidecars(b.Context(), recover.Evidences{Roots: rootsOf(store), Name: "a"})
		if err != nil || len(plan.Objects) != tables || plan.Objects[0].Outcome != recover.Recovered {
			b.Fatal(len(plan.Objects), err)
		}
		used := cpu()
		runtime.GC()
		runtime.ReadMemStats(&memory)
		runtime.KeepAlive(plan)
		before += cpu() - used // not part of a plan
	}
	b.ReportMetric(float64((cpu()-before).Microseconds())/float64(tables*b.N), "cpu-µs/table")
	b.ReportMetric(float64(tables)*float64(b.N)/b.Elapsed().Seconds(), "tables/s")
	b.ReportMetric(float64(memory.HeapAlloc)/tables, "B-kept/table")
}

// many puts the files of so many tables, with two metadata files and a sidecar each; every
// tenth sidecar is a commit behind.
func many(tb testing.TB, tables int, put func(key, text string)) {
	tb.Helper()
	for i := range tables {
		folder := fmt.Sprintf("n%d/t%d/metadata", i%100, i)
		at := func(v string) string { return "file:///w/lake/" + folder + "/" + v + ".metadata.json" }
		id := uuid.NewSHA1(uuid.Nil, []byte(folder))
		file := func(minute int, log ...string) string {
			text := strings.Replace(tableText(0, minute, log...), numbered(0).String(), id.String(), 1)
			return strings.Replace(text, `"metadata-log"`, fmt.Sprintf(`"properties":{"x":"%01500d"},"metadata-log"`, 0), 1)
		}
		o := sidecars.Object{
			Kind: journal.Table, Warehouse: "a", Identifier: journal.Identifier{Namespace: journal.Namespace{fmt.Sprint("n", i%100)}, Name: fmt.Sprint("t", i)},
			UUID: id, Location: "file:///w/lake/" + folder, MetadataLocation: at("v2"), State: sidecars.Active, UpdatedAt: epoch,
		}
		if i%10 == 0 {
			o.MetadataLocation = at("v1")
		}
		data, err := sidecars.Encode(o)
		if err != nil {
			tb.Fatal(err)
		}
		put(sidecars.Key(id), string(data))
		put(folder+"/v1.metadata.json", file(0))
		put(folder+"/v2.metadata.json", file(1, at("v1")))
	}
}
