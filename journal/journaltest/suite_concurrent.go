package journaltest

import (
	"context"
	"sync"
	"testing"

	"puddle/journal"
)

// testSlowConsumer appends inside the loop of a scan: a scan that held the
// journal open meanwhile could block the append for ever.
func testSlowConsumer(t *testing.T, open Open) {
	j, entries, _ := filled(t, open, lake)
	last := entries[len(entries)-1]
	more := manyEntries(t, last, 2*len(entries))
	for range 2 {
		for _, err := range j.Warehouse(lake).Scan(context.Background(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			if len(more) > 0 {
				Append(t, j, more[:1])
				entries, more = append(entries, more[0]), more[1:]
			}
		}
	}
	for _, err := range j.Warehouse(lake).ScanBack(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		next := manyEntries(t, entries[len(entries)-1], 1)
		Append(t, j, next)
		entries = append(entries, next...)
	}
	wantEvents(t, j, lake, entries)
}

// testScanEnds appends faster than it scans: the scan ends all the same.
func testScanEnds(t *testing.T, open Open) {
	j, entries, _ := filled(t, open, lake)
	more := manyEntries(t, entries[len(entries)-1], 3*len(entries))
	seen := 0
	for e, err := range j.Warehouse(lake).Scan(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; e.Seq != journal.Seq(seen) {
			t.Fatalf("event %d is at %s", seen, e.Position)
		}
		Append(t, j, more[:1])
		more = more[1:]
	}
	if seen < len(entries) {
		t.Errorf("the scan yields %d events, %d were there when it began", seen, len(entries))
	}
}

// testConcurrentReaders reads in every way beside appends; the race detector
// watches.
func testConcurrentReaders(t *testing.T, open Open) {
	j, entries, _ := filled(t, open, lake)
	r := j.Warehouse(lake)
	ctx := context.Background()
	done := make(chan struct{})
	var readers sync.WaitGroup
	reader := func(read func() error) {
		readers.Go(func() {
			for {
				if err := read(); err != nil {
					t.Errorf("read beside appends: %v", err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	reader(func() error { return follows(ctx, r) })
	reader(func() error {
		for _, err := range r.ScanBack(ctx, 0) {
			if err != nil {
				return err
			}
		}
		return nil
	})
	reader(func() error {
		_, _, err := r.Find(ctx, entries[3].Event.ID)
		return err
	})
	reader(func() error {
		_, err := j.Warehouses(ctx)
		return err
	})
	last := entries[len(entries)-1]
	for range 20 {
		next := manyEntries(t, last, 10)
		Append(t, j, next)
		last = next[len(next)-1]
		if head, err := r.Head(ctx); err != nil || head != last.Event.Position {
			t.Errorf("head after an append = %v, %v", head, err)
		}
	}
	close(done)
	readers.Wait()
}

// follows scans and checks that each event is the next.
func follows(ctx context.Context, r journal.Reader) error {
	chain := journal.NewChain(lake, Incarnation(lake), 0)
	for e, err := range r.Scan(ctx, 0) {
		if err != nil {
			return err
		}
		if chain, err = chain.Follow(e); err != nil {
			return err
		}
	}
	return nil
}
