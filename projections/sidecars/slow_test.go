package sidecars

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
)

// A journal that grows by a hundred events a second, each of another table, is followed by a
// store that takes 50 ms for each request, and looked through afterwards, many at a time.
// Time is that of the bubble, so that it counts rounds of requests.
func TestSidecarsOfAnObjectStore(t *testing.T) {
	const tables, seconds, way = 200, 6, 50 * time.Millisecond
	s := journaltest.NewStory(lake)
	s.CreateNamespace(journal.Namespace{"n"}, nil)
	for i := range 100 * seconds {
		s.Commit(journal.Identifier{Namespace: journal.Namespace{"n"}, Name: fmt.Sprint("t", i%tables)})
	}
	disk := memory.New()
	w := newWorld(t, disk, s)
	synctest.Test(t, func(t *testing.T) {
		store := faulty.New(disk, func(faulty.Op, string) faulty.Fault {
			time.Sleep(way)
			return faulty.Fault{}
		})
		o := w.options(store)
		o.Others = true // each is looked at before it is written
		f := Follow(o)
		for last := journal.Seq(1); len(w.entries) > 0; last++ {
			w.grow(t, 1)
			f.Wake()
			time.Sleep(10 * time.Millisecond)
			if behind := f.Progress().Behind; behind > 300 {
				t.Fatalf("at %d they are %d events behind", last, behind)
			}
		}
		must(t, f.Close(ctx))
		began, n := time.Now(), 0
		for _, err := range List(ctx, store) {
			must(t, err)
			n++
		}
		if rounds := int(time.Since(began) / way); n < tables || rounds > n/16+3 {
			t.Errorf("%d sidecars are read in %d rounds", n, rounds)
		}
	})
}
