package recorder_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/projections/recorder/recordertest"
)

// Drafts that break one rule each are refused, and they alone, on every pair of
// journal and store.
func TestRefusesExactlyWhatBreaksARule(t *testing.T) {
	type tale struct {
		attempts []journaltest.Attempt
		drafts   int
	}
	tales := rapid.Custom(func(t *rapid.T) tale {
		attempts, story := journaltest.DrawConflicting(t, lake)
		return tale{attempts, len(story.Drafts)}
	})
	check(t, tales, func(tb rapid.TB, p pair, tale tale) {
		j, store := p.open(tb)
		defer closeIt(tb, j)
		defer closeIt(tb, store)
		s := newStageOver(tb, j, store, nil, recorder.Options{Clock: clock{}})
		for i, a := range tale.attempts[1:] { // the birth is there
			_, err := s.Record(ctx, a.Draft)
			var c *projections.Conflict
			broke := errors.As(err, &c)
			if broke != (a.Breaks != "") || broke && string(c.Kind) != a.Breaks || !broke && err != nil {
				tb.Fatalf("attempt %d should break %q: %v", i, a.Breaks, err)
			}
			if a.Request == nil {
				continue
			}
			if _, bound, err := j.Warehouse(lake).Answered(ctx, a.Request.Actor, a.Request.Key, journaltest.Start); bound == broke || err != nil {
				tb.Fatalf("attempt %d, which broke %q, bound its key: %v, %v", i, a.Breaks, bound, err)
			}
		}
		closeIt(tb, s)
		if events := recordertest.CheckLaws(tb, j, store); len(events) != tale.drafts+1 {
			tb.Fatalf("%d events of %d drafts and the birth of the pond", len(events), tale.drafts)
		}
	})
}

// clock stands still.
type clock struct{}

func (clock) Read() journal.Instant { return journal.At(journaltest.Start) }

// Whatever several clients do at once: what was acknowledged is in the journal,
// once and as answered, what was refused is not, and laws 1, 2, 6 and 7 hold.
func TestConcurrentClients(t *testing.T) {
	check(t, recordertest.Plans(), func(tb rapid.TB, p pair, plans [][]recordertest.Action) {
		j, store := p.open(tb)
		defer closeIt(tb, j)
		defer closeIt(tb, store)
		s := newStageOver(tb, j, store, nil, recorder.Options{})
		seen := recordertest.NewOutcomes()
		recordertest.RunClients(plans, seen, s.Recorder)
		closeIt(tb, s)
		seen.Check(tb, recordertest.CheckLaws(tb, j, store))
		seen.CheckKeys(tb, j)
		if errs := seen.Failures(); len(errs) > 0 {
			tb.Fatalf("failed without a fault: %v", errs)
		}
	})
}
