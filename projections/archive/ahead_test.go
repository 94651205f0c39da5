package archive_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"puddle/internal/warehouse"
	"puddle/projections/archive"
)

// gets counts what is read of a store.
type gets struct {
	warehouse.Reader
	n atomic.Int64
}

func (g *gets) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	g.n.Add(1)
	return g.Reader.Get(ctx, key, limit)
}

// Who looks at one event has one segment read; who goes on has those behind it read
// before he asks, a few.
func TestScanReadsAFewAhead(t *testing.T) {
	w := newWorld(chain(t, 40).Entries)
	w.grow(t, len(w.pending))
	if err := w.sealer(w.disk, 1).Seal(ctx); err != nil {
		t.Fatal(err)
	}
	store := &gets{Reader: w.disk}
	a, err := archive.Open(ctx, store)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct{ events, most int }{{1, 1}, {2, 2 + archive.ReadAhead}, {20, 20 + archive.ReadAhead}} {
		store.n.Store(0)
		seen := 0
		for _, err := range a.Warehouse(lake).Scan(ctx, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if seen++; seen == one.events {
				break
			}
		}
		if read := int(store.n.Load()); read < one.events || read > one.most {
			t.Errorf("%d segments were read for %d events of one segment each", read, one.events)
		}
	}
}

func TestScanEndsWithItsContext(t *testing.T) {
	w := newWorld(chain(t, 40).Entries)
	w.grow(t, len(w.pending))
	if err := w.sealer(w.disk, 2).Seal(ctx); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(ctx)
	defer cancel()
	seen := 0
	var last error
	for _, err := range w.open(t).Warehouse(lake).Scan(over, 0) {
		if last = err; err == nil {
			seen++
		}
		if seen == 5 {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) || seen != 5 {
		t.Errorf("%d events, then %v", seen, last)
	}
}
