package recordertest

import (
	"errors"
	"fmt"

	"puddle/journal"
	"puddle/projections/recorder"
)

// testClients: whatever clients of several processes do at once: what was
// acknowledged is there, once and as answered, what was refused is not, and the laws
// hold.
func testClients(w *world) {
	seen := NewOutcomes()
	recorders := []*recorder.Recorder{w.record(w.one), w.record(w.two), w.record(w.Replica())}
	for seed := range 12 {
		RunClients(Plans().Example(seed), seen, recorders...)
	}
	seen.Check(w, CheckLaws(w, w.Journal, w.one))
	seen.CheckKeys(w, w.Journal)
	if errs := seen.Failures(); len(errs) > 0 {
		w.Fatalf("failed without a fault: %v", errs)
	}
}

// testFaults: one step of one process fails, again and again, while another one
// works.
func testFaults(w *world) {
	unknown := errors.Join(journal.ErrUnknownOutcome, ErrInjected)
	seen := NewOutcomes()
	for i, f := range []struct {
		step string
		done bool
		err  error
	}{
		{"begin", false, ErrInjected}, {"begin", true, ErrInjected},
		{"find", false, ErrInjected}, {"answered", true, ErrInjected},
		{"apply", false, ErrInjected}, {"apply", true, ErrInjected},
		{"commit", false, ErrInjected}, {"commit", false, journal.ErrNotNext},
		{"commit", false, unknown}, {"commit", true, unknown},
	} {
		every := everyThird(f.step, f.done, f.err)
		ill, well := w.record(Hooked(w.one, Lake, every)), w.record(w.two)
		RunClients(Plans().Example(i), seen, ill, well)
		RunClients(Plans().Example(i+100), seen, ill, well)
		if err := errors.Join(ill.Ready(), well.Ready()); err != nil {
			w.Errorf("ready: %v", err)
		}
		seen.Check(w, CheckLaws(w, w.Journal, w.two))
		seen.CheckKeys(w, w.Journal)
	}
	for _, err := range seen.Failures() {
		if !errors.Is(err, recorder.ErrNotRecorded) && !errors.Is(err, journal.ErrUnknownOutcome) && !errors.Is(err, journal.ErrNotNext) {
			w.Errorf("failed for no reason that is documented: %v", err)
		}
	}
}

// everyThird fails a step every third time.
func everyThird(step string, done bool, err error) Hook {
	n := 0 // the steps of a warehouse come one after the other
	return func(s string, d bool) error {
		if s != step || d != done {
			return nil
		}
		if n++; n%3 != 0 {
			return nil
		}
		return fmt.Errorf("the %dth: %w", n, err)
	}
}
