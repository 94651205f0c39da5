package recover_test

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/recover"
)

// way is how long a request to an object store takes.
const way = 20 * time.Millisecond

// On an object store 10,000 tables, with two metadata files and a sidecar each, are looked at
// in a minute: what is read is read in parallel. Time is that of the bubble, so that it counts
// rounds of requests.
func TestPlanOfAnObjectStore(t *testing.T) {
	const tables, all = 500, 10_000
	synctest.Test(t, func(t *testing.T) {
		disk := memory.New()
		many(t, tables, func(key, text string) {
			if err := disk.Put(t.Context(), key, []byte(text)); err != nil {
				t.Fatal(err)
			}
		})
		store := faulty.New(disk, func(faulty.Op, string) faulty.Fault {
			time.Sleep(way)
			return faulty.Fault{}
		})
		began := time.Now()
		plan, err := recover.PlanSidecars(t.Context(), recover.Evidences{Roots: rootsOf(store), Name: "a"})
		if err != nil || len(plan.Objects) != tables {
			t.Fatal(len(plan.Objects), err)
		}
		took := time.Since(began)
		if err := plan.WriteMissing(t.Context(), rootsOf(store), nil, true); err != nil {
			t.Fatal(err)
		}
		looked := time.Since(began) - took
		if most := (took + looked) * (all / tables); most > time.Minute {
			t.Errorf("%d tables would take %v: the plan %v, their files %v", all, most, took*(all/tables), looked*(all/tables))
		}
	})
}

// crowd is a storage of many data files.
type crowd struct {
	warehouse.Store
	files int
	tell  func()
}

func (c crowd) List(ctx context.Context, prefix string) iter.Seq2[warehouse.Entry, error] {
	if prefix != "" {
		return c.Store.List(ctx, prefix)
	}
	return func(yield func(warehouse.Entry, error) bool) {
		for i := range c.files {
			if i%10_000 == 0 {
				c.tell()
			}
			if !yield(warehouse.Entry{Key: fmt.Sprintf("t%06d/data/%06d.parquet", i/1000, i)}, nil) {
				return
			}
		}
	}
}

// 100,000 objects are listed in the memory of a few: nothing of them is kept.
func TestPlanOfManyObjects(t *testing.T) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, most := heap(), uint64(0)
	c := crowd{memory.New(), 100_000, func() { most = max(most, heap()) }}
	if _, err := recover.PlanSidecars(t.Context(), recover.Evidences{Roots: rootsOf(c), Name: "a"}); err != nil {
		t.Fatal(err)
	}
	if most > before+2<<20 {
		t.Errorf("%d bytes are held while objects are listed, %d before", most, before)
	}
}
