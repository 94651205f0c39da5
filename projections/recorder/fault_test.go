package recorder_test

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/projections/recorder"
	"puddle/projections/recorder/recordertest"
)

// fault is a step that fails, before or after its effect.
type fault struct {
	step string
	done bool
	err  error
}

// faults is every step that writes, both ways (law 5). The recorder is told of an
// append that failed after its effect only when that is unknown: a journal that
// finds it out says that it is done. So it is with an answer to remember.
var faults = []fault{
	{"begin", false, errInjected}, {"begin", true, errInjected},
	{"apply", false, errInjected}, {"apply", true, errInjected},
	{"append", false, errInjected},
	{"append", false, errors.Join(journal.ErrUnknownOutcome, errInjected)},
	{"append", true, errors.Join(journal.ErrUnknownOutcome, errInjected)},
	{"remember", false, errInjected},
	{"remember", false, errors.Join(journal.ErrUnknownOutcome, errInjected)},
	{"remember", true, errors.Join(journal.ErrUnknownOutcome, errInjected)},
	{"commit", false, errInjected}, {"commit", true, errInjected},
	{"rollback", true, errInjected}, // it cannot fail to end the transaction
}

// Clients work, one step fails, and everything is opened again: the laws hold,
// every acknowledged event is there and no refused one is; of the unknown ones
// each may be.
func TestFaultMatrix(t *testing.T) {
	type trouble struct {
		nth   int
		plans [][]recordertest.Action
	}
	troubles := rapid.Custom(func(t *rapid.T) trouble {
		return trouble{rapid.IntRange(1, 12).Draw(t, "nth"), recordertest.Plans().Draw(t, "plans")}
	})
	for _, f := range faults {
		t.Run(fmt.Sprintf("%s,done=%t,unknown=%t", f.step, f.done, errors.Is(f.err, journal.ErrUnknownOutcome)), func(t *testing.T) {
			checkFew(t, troubles, func(tb rapid.TB, p pair, tr trouble) {
				checkFault(tb, p, recordertest.FailAt(f.step, tr.nth, f.done, f.err), tr.plans)
			})
		})
	}
}

func checkFault(tb rapid.TB, p pair, h recordertest.Hook, plans [][]recordertest.Action) {
	j, store := p.open(tb)
	s := newStageOver(tb, j, store, h, recorder.Options{})
	seen := recordertest.NewOutcomes()
	recordertest.RunClients(plans, seen, s.Recorder)
	closeIt(tb, s)
	for _, err := range seen.Failures() {
		if !errors.Is(err, recorder.ErrNotRecorded) && !errors.Is(err, recorder.ErrStopped) && !errors.Is(err, journal.ErrUnknownOutcome) {
			tb.Fatalf("failed for no reason that is documented: %v", err)
		}
	}
	j, store = p.reopen(tb, j, store)
	defer closeIt(tb, j)
	defer closeIt(tb, store)
	recordertest.CatchUp(tb, j, store)
	seen.Check(tb, recordertest.CheckLaws(tb, j, store))
	seen.CheckKeys(tb, j)

	again := newStageOver(tb, j, store, nil, recorder.Options{})
	recordertest.RunClients(plans, seen, again.Recorder)
	closeIt(tb, again)
	seen.Check(tb, recordertest.CheckLaws(tb, j, store))
	seen.CheckKeys(tb, j)
}
