package recorder_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/projections/recorder/recordertest"
)

// wantBound checks what a key is bound to.
func wantBound(t *testing.T, s *stage, warehouse uuid.UUID, key string, seq journal.Seq, status int) {
	t.Helper()
	r := recordertest.Asked(key)
	a, ok, err := s.journal.Warehouse(warehouse).Answered(ctx, r.Actor, r.Key, r.Until.Add(-1))
	if err != nil || a.Seq != seq || a.Status != status || ok != (seq != 0 || status != 0) {
		t.Errorf("key %s is bound to event %d, status %d: %v, %v", key, a.Seq, a.Status, ok, err)
	}
}

// errConflict stands for any conflict.
var errConflict = errors.New("conflict")

// Of two drafts with one key only one is recorded, and the other leaves no trace:
// not even a conflict of its own.
func TestKeyIsBoundOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, letGo := gathering()
		s := newStage(t, h, recorder.Options{})
		defer s.Close()
		anas := recordertest.Keyed(recordertest.Namespace(lake, "anas"), recordertest.Key(0))
		anas.Cause.Actor, anas.Request.Actor = "token:ana", "token:ana"
		same, short := recordertest.Keyed(recordertest.Namespace(lake, "same"), recordertest.Key(3)), recordertest.Keyed(recordertest.Namespace(lake, "short"), "k")
		drafts := []journal.Draft{
			recordertest.Keyed(recordertest.Namespace(lake, "a"), recordertest.Key(0)), recordertest.Keyed(recordertest.Namespace(lake, "b"), recordertest.Key(0)), recordertest.Keyed(recordertest.Namespace(pond, "a"), recordertest.Key(0)), anas,
			recordertest.Keyed(recordertest.Namespace(lake, "a"), recordertest.Key(1)), recordertest.Keyed(recordertest.Namespace(lake, "c"), recordertest.Key(1)), // the loser did not bind
			recordertest.Keyed(recordertest.Namespace(lake, "a"), recordertest.Key(0)), same, same, short,
		}
		answers := s.together(letGo, drafts...)
		for i, want := range []struct {
			seq journal.Seq
			err error
		}{
			{2, nil}, {0, journal.ErrKeyTaken}, {3, nil}, {3, nil}, {0, errConflict}, {4, nil},
			{0, journal.ErrKeyTaken}, {5, nil}, {5, nil}, {0, journal.ErrRequest},
		} {
			got := answers[i]
			var conflict *projections.Conflict
			if errors.As(got.err, &conflict) {
				got.err = errConflict
			}
			if got.event.Seq != want.seq || !errors.Is(got.err, want.err) {
				t.Errorf("draft %d: seq %d, %v, want %d, %v", i, got.event.Seq, got.err, want.seq, want.err)
			}
		}
		if _, err := s.Record(ctx, recordertest.Keyed(recordertest.Namespace(lake, "later"), recordertest.Key(0))); !errors.Is(err, journal.ErrKeyTaken) || errors.Is(err, recorder.ErrNotRecorded) {
			t.Errorf("later: %v", err)
		}
		if e, err := s.Record(ctx, same); err != nil || e.Seq != 5 {
			t.Errorf("the same draft again: seq %d, %v", e.Seq, err)
		}
		wantBound(t, s, lake, recordertest.Key(0), 2, 0)
		wantBound(t, s, pond, recordertest.Key(0), 3, 0)
		wantBound(t, s, lake, recordertest.Key(1), 4, 0)
		recordertest.CheckLaws(t, s.journal.Journal, s.store.Store)
	})
}

func TestRemember(t *testing.T) {
	s := newStage(t, nil, recorder.Options{})
	if err := s.Remember(ctx, lake, recordertest.Conflicted(recordertest.Key(0))); err != nil {
		t.Fatal(err)
	}
	if e, err := s.Record(ctx, recordertest.Keyed(recordertest.Namespace(lake, "a"), recordertest.Key(1))); err != nil || e.Seq != 2 {
		t.Fatalf("seq %d, %v", e.Seq, err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	event, large := recordertest.Conflicted(recordertest.Key(2)), recordertest.Conflicted(recordertest.Key(2))
	event.Seq, event.Status, event.Body = 2, 0, nil
	large.Body = make([]byte, journal.MaxAnswerBytes+1)
	for what, c := range map[string]struct {
		ctx       context.Context
		warehouse uuid.UUID
		answer    journal.Answer
		want      error
	}{
		"a key of an answer":   {ctx, lake, recordertest.Conflicted(recordertest.Key(0)), journal.ErrKeyTaken},
		"a key of an event":    {ctx, lake, recordertest.Conflicted(recordertest.Key(1)), journal.ErrKeyTaken},
		"an unborn warehouse":  {ctx, uuid.New(), recordertest.Conflicted(recordertest.Key(2)), journal.ErrNoWarehouse},
		"an event":             {ctx, lake, event, journal.ErrRequest},
		"no key":               {ctx, lake, recordertest.Conflicted(""), journal.ErrRequest},
		"a large body":         {ctx, lake, large, journal.ErrTooLarge},
		"a caller who hung up": {canceled, lake, recordertest.Conflicted(recordertest.Key(2)), recorder.ErrNotRecorded},
	} {
		if err := s.Remember(c.ctx, c.warehouse, c.answer); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
	if _, err := s.Record(ctx, recordertest.Keyed(recordertest.Namespace(lake, "b"), recordertest.Key(0))); !errors.Is(err, journal.ErrKeyTaken) {
		t.Errorf("a draft with the key of an answer: %v", err)
	}
	wantBound(t, s, lake, recordertest.Key(0), 0, 409)
	wantBound(t, s, lake, recordertest.Key(1), 2, 0)
	wantBound(t, s, lake, recordertest.Key(2), 0, 0)
	if err := errors.Join(s.Close(), s.Remember(ctx, pond, recordertest.Conflicted(recordertest.Key(0)))); !errors.Is(err, recorder.ErrStopped) {
		t.Errorf("after close: %v", err)
	}
	recordertest.CheckLaws(t, s.journal.Journal, s.store.Store)
}

// Answers that wait are stored together, those of each warehouse within the
// limits of a group, beside the drafts that wait.
func TestAnswersGather(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, letGo := gathering()
		s := newStage(t, h, recorder.Options{})
		first := s.start(ctx, recordertest.Namespace(pond, "first"))
		synctest.Wait() // the first append is held
		answers := make(chan error, 64)
		remember := func(warehouse uuid.UUID, key string, size int) {
			a := recordertest.Conflicted(key)
			a.Body = make([]byte, size)
			go func() { answers <- s.Remember(ctx, warehouse, a) }()
			synctest.Wait()
		}
		for i := range 10 {
			remember(lake, recordertest.Key(i), 1<<20-1024)
		}
		remember(pond, recordertest.Key(0), 0)
		remember(lake, recordertest.Key(0), 0) // twice
		remember(pond, recordertest.Key(1), 0)
		beside := s.start(ctx, recordertest.Namespace(lake, "beside"))
		synctest.Wait()
		letGo()
		taken := 0
		for range 13 {
			if err := <-answers; errors.Is(err, journal.ErrKeyTaken) {
				taken++
			} else if err != nil {
				t.Error(err)
			}
		}
		for _, a := range []answer{<-first, <-beside} {
			if a.err != nil {
				t.Error(a.err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]int{8, 2, 2}, s.journal.remembered); diff != "" || taken != 1 {
			t.Errorf("%d keys were taken, batches: %s", taken, diff)
		}
		for i := range 10 {
			wantBound(t, s, lake, recordertest.Key(i), 0, 409)
		}
		recordertest.CheckLaws(t, s.journal.Journal, s.store.Store)
	})
}

// An answer that could not be stored may be tried again.
func TestRememberFails(t *testing.T) {
	s := newStage(t, recordertest.FailAt("remember", 1, false, errInjected), recorder.Options{})
	defer s.Close()
	if err := s.Remember(ctx, lake, recordertest.Conflicted(recordertest.Key(0))); !errors.Is(err, recorder.ErrNotRecorded) || !errors.Is(err, errInjected) {
		t.Errorf("got %v", err)
	}
	wantBound(t, s, lake, recordertest.Key(0), 0, 0)
	if err := s.Remember(ctx, lake, recordertest.Conflicted(recordertest.Key(0))); err != nil {
		t.Errorf("again: %v", err)
	}
	wantBound(t, s, lake, recordertest.Key(0), 0, 409)
}

// An answer of unknown outcome stops the recorder, and so does an append: what
// waits behind them was surely not done.
func TestUnknownOutcomeStopsAnswers(t *testing.T) {
	for _, step := range []string{"append", "remember"} {
		synctest.Test(t, func(t *testing.T) {
			gather, letGo := gathering()
			nth := map[string]int{"append": 2, "remember": 1}[step]
			unknown := recordertest.FailAt(step, nth, false, errors.Join(journal.ErrUnknownOutcome, errInjected))
			s := newStage(t, func(step string, done bool) error {
				return errors.Join(gather(step, done), unknown(step, done))
			}, recorder.Options{})
			defer s.Close()
			first := s.start(ctx, recordertest.Namespace(pond, "first"))
			synctest.Wait()
			answers := make([]chan error, 2)
			for i, w := range []uuid.UUID{lake, pond} {
				answers[i] = make(chan error, 1)
				go func() { answers[i] <- s.Remember(ctx, w, recordertest.Conflicted(recordertest.Key(0))) }()
				synctest.Wait()
			}
			draft := s.start(ctx, recordertest.Namespace(lake, "a"))
			synctest.Wait()
			letGo()
			<-first
			<-draft
			want := []error{recorder.ErrStopped, recorder.ErrStopped}
			if step == "remember" {
				want[0] = journal.ErrUnknownOutcome
			}
			for i := range answers {
				err := <-answers[i]
				if !errors.Is(err, want[i]) || errors.Is(err, journal.ErrUnknownOutcome) != (want[i] == journal.ErrUnknownOutcome) {
					t.Errorf("%s: answer %d: %v", step, i, err)
				}
			}
			if err := s.Remember(ctx, lake, recordertest.Conflicted(recordertest.Key(1))); !errors.Is(err, recorder.ErrStopped) {
				t.Errorf("%s: later: %v", step, err)
			}
			if err := s.Ready(); !errors.Is(err, recorder.ErrStopped) {
				t.Errorf("%s: ready: %v", step, err)
			}
		})
	}
}

// Of two answers with one key that wait together, the second lost to the first only
// if that is stored: else it is not told that the key is taken, which is free.
func TestKeyOfAFailedAnswerIsNotTaken(t *testing.T) {
	for name, c := range map[string]struct{ fails, first, second error }{
		"stored":     {nil, nil, journal.ErrKeyTaken},
		"not stored": {errInjected, recorder.ErrNotRecorded, recorder.ErrNotRecorded},
		"unknown":    {errors.Join(journal.ErrUnknownOutcome, errInjected), journal.ErrUnknownOutcome, recorder.ErrStopped},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gather, letGo := gathering()
				fails := recordertest.FailAt("remember", 1, false, c.fails)
				s := newStage(t, func(step string, done bool) error {
					return errors.Join(gather(step, done), fails(step, done))
				}, recorder.Options{})
				defer s.Close()
				held := s.start(ctx, recordertest.Namespace(pond, "first"))
				synctest.Wait()
				answers := [2]chan error{make(chan error, 1), make(chan error, 1)}
				for _, heard := range answers {
					go func() { heard <- s.Remember(ctx, lake, recordertest.Conflicted(recordertest.Key(0))) }()
					synctest.Wait()
				}
				letGo()
				<-held
				first, second := <-answers[0], <-answers[1]
				if !errors.Is(first, c.first) || !errors.Is(second, c.second) {
					t.Errorf("the first: %v; the second: %v", first, second)
				}
				if errors.Is(second, journal.ErrKeyTaken) != (c.fails == nil) || errors.Is(second, journal.ErrUnknownOutcome) {
					t.Errorf("the second: %v", second)
				}
			})
		})
	}
}

// The clock decides what is expired, and the journal's time where that is later.
func TestKeysExpire(t *testing.T) {
	s := newStage(t, nil, recorder.Options{Clock: clock{}})
	defer s.Close()
	now := clock{}.Read().Trusted
	for i, c := range []struct {
		until time.Duration
		taken bool
	}{{-time.Millisecond, false}, {0, false}, {time.Millisecond, true}} {
		a := recordertest.Conflicted(recordertest.Key(i))
		a.Until = now.Add(c.until)
		d := recordertest.Keyed(recordertest.Namespace(lake, fmt.Sprint("n", i)), recordertest.Key(i))
		if err := s.Remember(ctx, lake, a); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Record(ctx, d); errors.Is(err, journal.ErrKeyTaken) != c.taken || !c.taken && err != nil {
			t.Errorf("a key that is free from %s on: %v", c.until, err)
		}
	}
}
