package recorder_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"puddle/journal"
	"puddle/projections/recorder"
	"puddle/projections/recorder/recordertest"
)

// A draft whose event is there is answered when a commit has made sure of it, alone and
// beside others; until then its outcome is unknown, whatever that commit failed of.
func TestFoundIsMadeSureOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCommits()
		c.fail[2] = errors.New("no standby has it")
		c.fail[3] = journal.ErrUnknownOutcome
		c.fail[4] = errors.New("rolled back")
		s := newSharedStage(t, c.hook, recorder.Options{})
		defer s.Close()
		close(c.held)
		d := recordertest.Namespace(lake, "n")
		want, err := s.Record(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if e, err := s.Record(ctx, d); !errors.Is(err, journal.ErrUnknownOutcome) || errors.Is(err, recorder.ErrNotRecorded) {
				t.Errorf("not made sure of: %v, %v", e.Position, err)
			}
		}
		if e, err := s.Record(ctx, d); err != nil || e.Hash != want.Hash || c.n != 5 {
			t.Errorf("made sure of by commit %d: %v, %v, want %v", c.n, e.Position, err, want.Position)
		}
	})
}

// What was found goes with the group that it came in, and is tried again with its parts.
func TestFoundBesideWinners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCommits()
		c.fail[2] = journal.ErrRecord // of one of the group
		s := newSharedStage(t, c.hook, recorder.Options{})
		defer s.Close()
		first := recordertest.Namespace(lake, "first")
		events, _ := s.together(c, nil, first, first, recordertest.Namespace(lake, "second"))
		for i, got := range events {
			if got.err != nil || (i < 2) != (got.event.ID == first.ID) {
				t.Errorf("draft %d: %v, %v", i, got.event.ID, got.err)
			}
		}
		if c.n != 4 {
			t.Errorf("%d commits, want one for all, and then one for each", c.n)
		}
	})
}
