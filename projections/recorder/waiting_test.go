package recorder_test

import (
	"errors"
	"runtime"
	"testing"

	"puddle/journal"
	"puddle/projections/recorder"
	"puddle/projections/recorder/recordertest"
)

// Who has no outcome yet is counted, in the group under way and behind it.
func TestWaiting(t *testing.T) {
	inside, on := make(chan struct{}), make(chan struct{})
	s := newStage(t, func(step string, done bool) error {
		if step == "append" && !done {
			inside <- struct{}{}
			<-on
		}
		return nil
	}, recorder.Options{})
	if n := s.Waiting(); n != 0 {
		t.Errorf("%d wait for nothing", n)
	}
	first := s.start(ctx, recordertest.Namespace(lake, "a"))
	<-inside
	second := s.start(ctx, recordertest.Namespace(lake, "b"))
	for s.Waiting() != 2 { // the second may not be at the door yet
		runtime.Gosched()
	}
	on <- struct{}{}
	if a := <-first; a.err != nil {
		t.Fatal(a.err)
	}
	<-inside
	if n := s.Waiting(); n != 1 {
		t.Errorf("%d wait, want 1", n)
	}
	on <- struct{}{}
	if a := <-second; a.err != nil || s.Waiting() != 0 {
		t.Errorf("%v; %d wait", a.err, s.Waiting())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A group of unknown outcome is counted as such, and not as one that surely failed.
func TestUnknownIsCounted(t *testing.T) {
	seen := make(chan recorder.Group, 1)
	lost := recordertest.FailAt("append", 1, true, errors.Join(journal.ErrUnknownOutcome, errors.New("the disk")))
	s := newStage(t, lost, recorder.Options{Observe: func(g recorder.Group) { seen <- g }})
	if _, err := s.Record(ctx, recordertest.Namespace(lake, "a")); !errors.Is(err, journal.ErrUnknownOutcome) {
		t.Fatal(err)
	}
	if g := <-seen; g.Drafts != 1 || g.Unknown != 1 || g.Recorded+g.Refused != 0 {
		t.Errorf("group %+v", g)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
