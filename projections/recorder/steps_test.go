package recorder_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/projections/recorder/recordertest"
)

// gathering holds the first append until it is let go, so that what comes
// meanwhile is one group.
func gathering() (h recordertest.Hook, letGo func()) {
	var once sync.Once
	held := make(chan struct{})
	return func(step string, done bool) error {
		if step == "append" && !done {
			once.Do(func() { <-held })
		}
		return nil
	}, func() { close(held) }
}

// together records drafts as one group and answers in their order.
func (s *stage) together(letGo func(), drafts ...journal.Draft) []answer {
	first := s.start(ctx, recordertest.Namespace(pond, "first"))
	synctest.Wait() // the first append is held
	var waiting []<-chan answer
	for _, d := range drafts {
		waiting = append(waiting, s.start(ctx, d))
		synctest.Wait() // senders on a channel queue up in order
	}
	letGo()
	<-first
	var answers []answer
	for _, w := range waiting {
		answers = append(answers, <-w)
	}
	return answers
}

func TestStepsAreInOrder(t *testing.T) {
	var mu sync.Mutex
	var trace []string
	note := func(step string) {
		mu.Lock()
		defer mu.Unlock()
		trace = append(trace, step)
	}
	s := newStage(t, func(step string, done bool) error {
		if done {
			note(step)
		}
		return nil
	}, recorder.Options{OnAppended: func(e journal.Event) { note("appended " + e.Seq.String()) }})
	defer s.Close()
	for _, name := range []string{"a", "a", "b"} {
		_, err := s.Record(ctx, recordertest.Namespace(lake, name))
		note(fmt.Sprint("answer ", err == nil))
	}
	want := []string{
		"begin", "apply", "append", "commit", "appended 2", "answer true",
		"begin", "rollback", "answer false",
		"begin", "apply", "append", "commit", "appended 3", "answer true",
	}
	if diff := cmp.Diff(want, trace); diff != "" {
		t.Fatal(diff)
	}
}

func TestGroupGathersWhileAnotherAppends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, letGo := gathering()
		var groups []recorder.Group
		s := newStage(t, h, recorder.Options{Observe: func(g recorder.Group) { groups = append(groups, g) }})
		var drafts []journal.Draft
		for i := range 600 {
			drafts = append(drafts, recordertest.Namespace([]uuid.UUID{lake, pond}[i%2], fmt.Sprint("n", i)))
		}
		for i, a := range s.together(letGo, drafts...) {
			if a.err != nil || a.event.ID != drafts[i].ID {
				t.Fatalf("draft %d: event %s, %v", i, a.event.ID, a.err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]int{1, journal.MaxGroupEntries, 88}, s.journal.sizes()); diff != "" {
			t.Errorf("groups: %s", diff)
		}
		if len(groups) != 3 || groups[1].Drafts != 512 || groups[1].Recorded != 512 || groups[1].Bytes == 0 || groups[1].Err != nil {
			t.Errorf("observed %+v", groups)
		}
		recordertest.CheckLaws(t, s.journal.Journal, s.store.Store)
	})
}

func TestConflictIsAloneInItsGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, letGo := gathering()
		s := newStage(t, h, recorder.Options{})
		defer s.Close()
		stray := recordertest.Namespace(lake, "c")
		stray.Documents = []journal.Document{{Codec: journal.CodecWholeZstd}} // of no move
		answers := s.together(letGo,
			recordertest.Namespace(lake, "a"), recordertest.Namespace(lake, "a"), recordertest.Namespace(pond, "a"), recordertest.Namespace(lake, "b"),
			recordertest.Draft(lake, journal.NamespaceCreated{ID: uuid.New()}), // the root: no journal may keep it
			recordertest.Namespace(uuid.New(), "a"), stray)
		for i, seq := range []journal.Seq{2, 0, 3, 3, 0, 0, 0} {
			if a := answers[i]; a.event.Seq != seq || (a.err == nil) != (seq != 0) {
				t.Errorf("draft %d: seq %d, %v", i, a.event.Seq, a.err)
			}
		}
		var c *projections.Conflict
		if !errors.As(answers[1].err, &c) || c.Kind != projections.NamespaceExists {
			t.Errorf("the second a: %v", answers[1].err)
		}
		for i, want := range map[int]error{4: journal.ErrRecord, 5: journal.ErrNoWarehouse, 6: journal.ErrRecord} {
			if !errors.Is(answers[i].err, want) {
				t.Errorf("draft %d: %v, want %v", i, answers[i].err, want)
			}
		}
		if diff := cmp.Diff([]int{1, 3}, s.journal.sizes()); diff != "" {
			t.Errorf("groups: %s", diff)
		}
		recordertest.CheckLaws(t, s.journal.Journal, s.store.Store)
	})
}

// Documents make entries large: groups are cut by bytes, and what alone is over
// the limit goes alone.
func TestGroupIsCutByBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, letGo := gathering()
		s := newStage(t, h, recorder.Options{})
		var drafts []journal.Draft
		const MiB = 1 << 20
		for i, size := range []int{5 * MiB, 2 * MiB, 2 * MiB, 9 * MiB, 17 * MiB, 0} {
			d := recordertest.Create(lake, "t", fmt.Sprint("t", i))
			d.Documents = []journal.Document{{Codec: journal.CodecWholeZstd, Data: make([]byte, size)}}
			drafts = append(drafts, d)
		}
		answers := s.together(letGo, slices.Insert(drafts, 0, recordertest.Namespace(lake, "t"))...)
		for i, a := range answers {
			if tooLarge := i == 5; errors.Is(a.err, journal.ErrTooLarge) != tooLarge || (a.err == nil) == tooLarge {
				t.Errorf("draft %d: %v", i, a.err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]int{1, 3, 1, 1, 1}, s.journal.sizes()); diff != "" {
			t.Errorf("groups: %s", diff)
		}
	})
}

// The same request, sent twice at once and again later, is one event.
func TestSameIDIsRecordedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, letGo := gathering()
		s := newStage(t, h, recorder.Options{})
		defer s.Close()
		d, lost := recordertest.Namespace(lake, "a"), recordertest.Namespace(lake, "a")
		answers := s.together(letGo, d, d, recordertest.Namespace(lake, "b"), lost, lost, d)
		again, err := s.Record(ctx, d)
		answers = append(answers, answer{again, err})
		for i, seq := range []journal.Seq{2, 2, 3, 0, 0, 2, 2} {
			if a := answers[i]; a.event.Seq != seq || (a.err == nil) != (seq != 0) {
				t.Errorf("answer %d: seq %d, %v", i, a.event.Seq, a.err)
			}
		}
		recordertest.CheckLaws(t, s.journal.Journal, s.store.Store)
	})
}

// An id that was recorded before the recorder began, or by its own clock in the
// future, is found as well.
func TestSameIDIsFound(t *testing.T) {
	s := newStage(t, nil, recorder.Options{})
	early, ahead := recordertest.Namespace(lake, "a"), recordertest.Namespace(lake, "b")
	ahead.ID[0]++
	for _, d := range []journal.Draft{early, ahead, early, ahead} {
		if _, err := s.Record(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	later := newStageOver(t, s.journal.Journal, s.store.Store, nil, recorder.Options{})
	defer later.Close()
	if e, err := later.Record(ctx, early); err != nil || e.Seq != 2 {
		t.Errorf("seq %d, %v", e.Seq, err)
	}
	if events := recordertest.CheckLaws(t, s.journal.Journal, s.store.Store); len(events) != 4 {
		t.Errorf("%d events, want two births and two namespaces", len(events))
	}
}

func TestCallerHangsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, letGo := gathering()
		s := newStage(t, h, recorder.Options{})
		hangUp, cancel := context.WithCancel(ctx)
		taken := s.start(hangUp, recordertest.Namespace(lake, "taken"))
		synctest.Wait()
		waiting := s.start(hangUp, recordertest.Namespace(lake, "waiting"))
		synctest.Wait()
		cancel()
		if a := <-waiting; !errors.Is(a.err, recorder.ErrNotRecorded) || !errors.Is(a.err, context.Canceled) {
			t.Errorf("waiting: %v", a.err)
		}
		synctest.Wait()
		select {
		case a := <-taken:
			t.Errorf("taken, answered before it was decided: %v", a.err)
		default:
		}
		letGo()
		if a := <-taken; a.err != nil {
			t.Errorf("taken: %v", a.err)
		}
		if _, err := s.Record(hangUp, recordertest.Namespace(lake, "later")); !errors.Is(err, context.Canceled) {
			t.Errorf("later: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if events := recordertest.CheckLaws(t, s.journal.Journal, s.store.Store); len(events) != 3 {
			t.Errorf("%d events, want two births and one namespace", len(events))
		}
	})
}

func TestCloseFinishesWhatWasTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, letGo := gathering()
		s := newStage(t, h, recorder.Options{})
		taken := s.start(ctx, recordertest.Namespace(lake, "taken"))
		synctest.Wait()
		waiting := s.start(ctx, recordertest.Namespace(lake, "waiting"))
		synctest.Wait()
		closed := make(chan error)
		go func() { closed <- s.Close() }()
		if a := <-waiting; !errors.Is(a.err, recorder.ErrStopped) {
			t.Errorf("waiting: %v", a.err)
		}
		letGo()
		if a := <-taken; a.err != nil {
			t.Errorf("taken: %v", a.err)
		}
		if err := errors.Join(<-closed, s.Close()); err != nil {
			t.Errorf("close: %v", err)
		}
		if _, err := s.Record(ctx, recordertest.Namespace(lake, "later")); !errors.Is(err, recorder.ErrStopped) {
			t.Errorf("later: %v", err)
		}
		if !errors.Is(s.Ready(), recorder.ErrStopped) {
			t.Errorf("ready: %v", s.Ready())
		}
		if _, err := s.Reader(lake).Namespace(ctx, journal.Namespace{"taken"}); err != nil {
			t.Errorf("reads go on: %v", err)
		}
	})
}

func TestWhatIsNoDraft(t *testing.T) {
	s := newStage(t, nil, recorder.Options{})
	defer s.Close()
	anonymous := recordertest.Namespace(lake, "a")
	anonymous.ID = uuid.Nil
	for name, d := range map[string]journal.Draft{
		"no body": {Warehouse: lake, ID: uuid.New()},
		"no id":   anonymous,
		"birth":   recordertest.Draft(lake, journal.IncarnationStarted{Name: "lake", Location: "s3://lake/wh"}),
	} {
		if _, err := s.Record(ctx, d); !errors.Is(err, journal.ErrRecord) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
