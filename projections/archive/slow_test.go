package archive_test

import (
	"testing"
	"testing/synctest"
	"time"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/projections/archive"
)

// way is how long a request to an object store takes.
const way = 20 * time.Millisecond

// far is a store that is so far away.
func far(store warehouse.Store) warehouse.Store {
	return faulty.New(store, func(faulty.Op, string) faulty.Fault {
		time.Sleep(way)
		return faulty.Fault{}
	})
}

// Small segments are read many at a time, with their documents, by a recovery and by an
// audit. Time is that of the bubble, so that it counts rounds of requests.
func TestSegmentsOfAnObjectStore(t *testing.T) {
	entries := chain(t, 200).Entries
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(entries)
		w.grow(t, len(w.pending))
		if err := w.sealer(w.disk, 1).Seal(ctx); err != nil {
			t.Fatal(err)
		}
		a, err := archive.Open(ctx, far(w.disk))
		if err != nil {
			t.Fatal(err)
		}
		rounds := func(do func()) int {
			began := time.Now()
			do()
			return int(time.Since(began) / way)
		}
		scan := rounds(func() {
			for _, err := range a.Warehouse(lake).Scan(ctx, 0) {
				if err != nil {
					t.Fatal(err)
				}
			}
		})
		carry := rounds(func() {
			for _, err := range a.Warehouse(lake).(journal.Entries).Entries(ctx, 0) {
				if err != nil {
					t.Fatal(err)
				}
			}
		})
		audit := rounds(func() {
			if _, err := archive.Audit(ctx, far(w.disk), lake, w.journal, func(err error) { t.Error(err) }); err != nil {
				t.Fatal(err)
			}
		})
		if n := len(entries); scan > n/16 || carry > n/8 || audit > n/6 {
			t.Errorf("%d segments: %d rounds to scan, %d to carry over, %d to audit", n, scan, carry, audit)
		}
	})
}

// A journal that grows by a hundred events a second is followed by a store that takes 50 ms
// for each request: what has come in a second is one segment.
func TestFollowerOfAnObjectStore(t *testing.T) {
	entries := chain(t, 600).Entries
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(entries)
		store := faulty.New(w.disk, func(faulty.Op, string) faulty.Fault {
			time.Sleep(50 * time.Millisecond)
			return faulty.Fault{}
		})
		follower := archive.Follow(w.options(store))
		for range entries {
			w.grow(t, 1)
			follower.Wake()
			time.Sleep(10 * time.Millisecond)
			if behind := int(w.all[len(w.all)-1].Event.Seq - follower.State().Sealed.Seq); behind > 200 {
				t.Fatalf("it is %d events behind", behind)
			}
		}
		if err := follower.Close(ctx); err != nil {
			t.Fatal(err)
		}
	})
}
