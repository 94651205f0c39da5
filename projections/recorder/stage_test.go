package recorder_test

import (
	"context"

	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/projections/recorder/recordertest"
)

var ctx = context.Background()

var errInjected = recordertest.ErrInjected

// Two warehouses are enough to mix histories.
var lake, pond = recordertest.Lake, recordertest.Pond

// stage is a recorder over a journal and a store whose steps are hooked.
type stage struct {
	*recorder.Recorder
	journal *spiedJournal
	store   *spiedStore
}

// newStage begins recording in memory. The hook is installed after the births.
func newStage(tb rapid.TB, h recordertest.Hook, opts recorder.Options) *stage {
	tb.Helper()
	return newStageOver(tb, journal.NewMemory(), projections.NewMemory(), h, opts)
}

func newStageOver(tb rapid.TB, j journal.Journal, s projections.Store, h recordertest.Hook, opts recorder.Options) *stage {
	tb.Helper()
	if h == nil {
		h = func(string, bool) error { return nil }
	}
	recordertest.Bear(tb, j)
	recordertest.CatchUp(tb, j, s)
	st := &stage{journal: &spiedJournal{Journal: j, hook: h}, store: &spiedStore{Store: s, hook: h}}
	r, err := recorder.New(ctx, st.journal, st.store, opts)
	if err != nil {
		tb.Fatalf("recorder: %v", err)
	}
	st.Recorder = r
	return st
}

// answer is what Record answered.
type answer struct {
	event journal.Event
	err   error
}

// start records in the background; the answer comes on the channel.
func (s *stage) start(ctx context.Context, d journal.Draft) <-chan answer {
	done := make(chan answer, 1)
	go func() {
		e, err := s.Record(ctx, d)
		done <- answer{e, err}
	}()
	return done
}
