package catalog_test

import (
	"context"
	"testing"
	"testing/synctest"

	"puddle/internal/warehouse/faulty"
	"puddle/rest/catalog"
)

// crowd has n clients load a table that nobody knows, of a store whose reads wait; it
// answers what they are told, and gives the reads that wait to answer.
func crowd(t *testing.T, p *process, contexts ...context.Context) (told chan error, reads chan error, reading *int) {
	t.Helper()
	reads, told, reading = make(chan error), make(chan error, len(contexts)), new(int)
	cold, _ := p.onBucket(t, func(op faulty.Op, _ string) faulty.Fault {
		if op != faulty.Get {
			return faulty.Fault{}
		}
		*reading++
		defer func() { *reading-- }()
		return faulty.Before(<-reads)
	})
	for _, ctx := range contexts {
		go func() { _, err := cold.LoadTable(ctx, id("t")); told <- err }()
		synctest.Wait() // in this order
	}
	return told, reads, reading
}

// Many who need a file that is not known ask for it once, and are told the same.
func TestCrowdReadsOnce(t *testing.T) {
	fresh(t).table(t, "t", "") // what packages make once must not be made in a bubble
	for _, answer := range []error{nil, errInjected} {
		synctest.Test(t, func(t *testing.T) {
			p := fresh(t)
			p.table(t, "t", "")
			told, reads, reading := crowd(t, p, ctx, ctx, ctx, ctx)
			if *reading != 1 {
				t.Errorf("%d reads for four", *reading)
			}
			reads <- answer
			for range 4 {
				if err := <-told; answer == nil {
					must(t, err)
				} else {
					refused(t, err, catalog.Unavailable)
				}
			}
		})
	}
}

// The one that reads for others may hang up: another reads. One that waits may, too:
// nobody else minds.
func TestCrowdSurvivesWhoHangsUp(t *testing.T) {
	fresh(t).table(t, "t", "")
	synctest.Test(t, func(t *testing.T) {
		p := fresh(t)
		p.table(t, "t", "")
		leads, leave := context.WithCancel(ctx)
		waits, quit := context.WithCancel(ctx)
		told, reads, reading := crowd(t, p, leads, waits, ctx)
		quit()
		refused(t, <-told, catalog.Unavailable)
		leave()
		reads <- leads.Err()
		refused(t, <-told, catalog.Unavailable)
		synctest.Wait()
		if *reading != 1 || len(told) > 0 {
			t.Fatalf("%d reads after the first hung up", *reading)
		}
		reads <- nil
		must(t, <-told)
	})
}
