package recorder_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/projections/recorder/recordertest"
)

// With step 4 failed the answer is yes, and readers and drafts wait until the
// tables have caught up, which fails a few times.
func TestCommitFailsAndCatchesUp(t *testing.T) {
	for _, done := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var broken atomic.Bool
			broken.Store(true)
			var reasons []error
			s := newStage(t, func(step string, d bool) error {
				if broken.Load() && (step == "commit" && d == done || step == "catch-up") {
					return errInjected
				}
				return nil
			}, recorder.Options{OnBehind: func(reason error) { reasons = append(reasons, reason) }})
			e, err := s.Record(ctx, recordertest.Namespace(lake, "a"))
			if err != nil || e.Seq != 2 {
				t.Fatalf("seq %d, %v", e.Seq, err)
			}
			if err := s.Ready(); !errors.Is(err, recorder.ErrBehind) || !errors.Is(err, errInjected) {
				t.Errorf("ready: %v", err)
			}
			next := s.start(ctx, recordertest.Namespace(pond, "b"))
			read := make(chan error, 1)
			go func() {
				_, err := s.Reader(lake).Namespace(ctx, journal.Namespace{"a"})
				read <- err
			}()
			checkReadersWait(t, s)
			synctest.Wait()
			if len(next) != 0 || len(read) != 0 {
				t.Error("somebody did not wait")
			}
			broken.Store(false)
			if err := <-read; err != nil {
				t.Errorf("read: %v", err)
			}
			if a := <-next; a.err != nil {
				t.Errorf("next: %v", a.err)
			}
			if err := errors.Join(s.Ready(), s.Close()); err != nil {
				t.Error(err)
			}
			if n := len(reasons); n < 8 || reasons[0] == nil || reasons[n-2] == nil || reasons[n-1] != nil {
				t.Errorf("told of %d reasons: %v", n, reasons)
			}
			recordertest.CheckLaws(t, s.journal.Journal, s.store.Store)
		})
	}
}

// When the tables stay behind, as on a full disk, nobody waits for longer than a
// moment: who asks then, and whose draft or answer comes then, is told at once.
// All goes on when the tables have come up.
func TestTablesStayBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var full atomic.Bool
		full.Store(true)
		s := newStage(t, func(step string, done bool) error {
			if full.Load() && (step == "commit" && !done || step == "catch-up") {
				return errInjected
			}
			return nil
		}, recorder.Options{})
		if _, err := s.Record(ctx, recordertest.Namespace(lake, "a")); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for range 3 {
			for i, err := range askAll(ctx, s.Reader(lake)) {
				checkBehind(t, fmt.Sprintf("question %d", i), err)
			}
			_, err := s.Record(ctx, recordertest.Namespace(lake, "b"))
			checkBehind(t, "draft", err)
			if !errors.Is(err, recorder.ErrNotRecorded) {
				t.Errorf("draft: %v", err)
			}
			checkBehind(t, "answer", s.Remember(ctx, lake, recordertest.Conflicted(recordertest.Key(1))))
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
		full.Store(false)
		time.Sleep(2 * time.Second)
		if _, err := s.Record(ctx, recordertest.Namespace(lake, "b")); err != nil {
			t.Error(err)
		}
		if err := errors.Join(s.Ready(), s.Close()); err != nil {
			t.Error(err)
		}
		recordertest.CheckLaws(t, s.journal.Journal, s.store.Store)
	})
}

func checkBehind(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, recorder.ErrBehind) || !errors.Is(err, errInjected) {
		t.Errorf("%s: %v", what, err)
	}
}

// checkReadersWait asks everything a reader can be asked, while it must wait.
func checkReadersWait(t *testing.T, s *stage) {
	t.Helper()
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for i, err := range askAll(short, s.Reader(lake)) {
		if !errors.Is(err, recorder.ErrBehind) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("question %d did not wait: %v", i, err)
		}
	}
}

func askAll(ctx context.Context, r projections.Reader) []error {
	in := journal.Namespace{"a"}
	id := journal.Identifier{Namespace: in, Name: "t"}
	var errs [8]error
	_, errs[0] = r.Namespace(ctx, in)
	_, errs[1] = r.Children(ctx, in, projections.Page{})
	_, errs[2] = r.Object(ctx, id)
	_, errs[3] = r.Objects(ctx, in, journal.Table, projections.Page{})
	_, errs[4] = r.Places(ctx, uuid.New())
	_, errs[5] = r.Steps(ctx, uuid.New())
	_, errs[6] = r.Holders(ctx, id)
	_, _, errs[7] = r.LastStep(ctx, uuid.New())
	return errs[:]
}

// When the tables turn out to contradict the journal, or when the recorder is
// closed before they are up, waiting ends in ErrStopped.
func TestTablesDoNotComeUp(t *testing.T) {
	for name, reason := range map[string]error{
		"contradiction": projections.ErrDiverged, "damage": projections.ErrDamaged, "closed": errInjected,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t, func(step string, done bool) error {
				if step == "commit" && !done || step == "catch-up" {
					return reason
				}
				return nil
			}, recorder.Options{})
			first := s.start(ctx, recordertest.Namespace(lake, "a"))
			read := make(chan []error, 1)
			go func() {
				<-first
				read <- askAll(ctx, s.Reader(lake))
			}()
			synctest.Wait()
			if name == "closed" {
				if len(read) != 0 {
					t.Error("the reader does not wait")
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
			for i, err := range <-read {
				if !errors.Is(err, recorder.ErrStopped) {
					t.Errorf("%s: question %d: %v", name, i, err)
				}
			}
			if _, err := s.Record(ctx, recordertest.Namespace(lake, "b")); !errors.Is(err, recorder.ErrStopped) {
				t.Errorf("%s: next: %v", name, err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			recordertest.CatchUp(t, s.journal.Journal, s.store.Store)
			if events := recordertest.CheckLaws(t, s.journal.Journal, s.store.Store); len(events) != 3 {
				t.Errorf("%s: %d events", name, len(events))
			}
		})
	}
}

// An unknown outcome is told to those in the append alone: the others were
// surely not recorded.
func TestUnknownOutcomeStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gather, letGo := gathering()
		unknown := recordertest.FailAt("append", 2, false, errors.Join(journal.ErrUnknownOutcome, errInjected))
		s := newStage(t, func(step string, done bool) error {
			return errors.Join(gather(step, done), unknown(step, done))
		}, recorder.Options{})
		defer s.Close()
		large := recordertest.Create(lake, "a", "t")
		large.Documents = []journal.Document{{Codec: journal.CodecWholeZstd, Data: make([]byte, journal.MaxGroupBytes)}}
		again := recordertest.Namespace(lake, "a")
		answers := s.together(letGo, again, again, recordertest.Namespace(lake, "a"), recordertest.Namespace(pond, "a"), large)
		want := []error{journal.ErrUnknownOutcome, journal.ErrUnknownOutcome, recorder.ErrStopped, journal.ErrUnknownOutcome, recorder.ErrStopped}
		for i, a := range answers {
			if !errors.Is(a.err, want[i]) || errors.Is(a.err, journal.ErrUnknownOutcome) != (want[i] == journal.ErrUnknownOutcome) {
				t.Errorf("draft %d: %v", i, a.err)
			}
		}
		_, err := s.Record(ctx, recordertest.Namespace(lake, "later"))
		if !errors.Is(err, recorder.ErrStopped) || errors.Is(err, journal.ErrUnknownOutcome) {
			t.Errorf("later: %v", err)
		}
		if !errors.Is(s.Ready(), recorder.ErrStopped) {
			t.Errorf("ready: %v", s.Ready())
		}
		if _, err := s.Reader(pond).Namespace(ctx, journal.Namespace{"first"}); err != nil {
			t.Errorf("reads go on: %v", err)
		}
		if _, err := s.Reader(pond).Namespace(ctx, journal.Namespace{"a"}); !errors.Is(err, projections.ErrNoNamespace) {
			t.Errorf("what is unknown is not shown: %v", err)
		}
	})
}

// Who lost to a draft that then was not recorded is not told that it lost.
func TestLoserOfAGroupThatFailed(t *testing.T) {
	for _, step := range []string{"append", "apply", "begin"} {
		synctest.Test(t, func(t *testing.T) {
			gather, letGo := gathering()
			n := map[string]int{"append": 2, "apply": 4, "begin": 2}[step]
			fail := recordertest.FailAt(step, n, false, errInjected)
			s := newStage(t, func(step string, done bool) error {
				return errors.Join(gather(step, done), fail(step, done))
			}, recorder.Options{})
			defer s.Close()
			drafts := []journal.Draft{recordertest.Namespace(lake, "a"), recordertest.Namespace(lake, "a"), recordertest.Namespace(lake, "b")}
			for i, a := range s.together(letGo, drafts...) {
				if !errors.Is(a.err, recorder.ErrNotRecorded) || !errors.Is(a.err, errInjected) {
					t.Errorf("%s: draft %d: %v", step, i, a.err)
				}
			}
			if e, err := s.Record(ctx, drafts[0]); err != nil || e.Seq != 2 {
				t.Errorf("%s: tried again: seq %d, %v", step, e.Seq, err)
			}
			recordertest.CheckLaws(t, s.journal.Journal, s.store.Store)
		})
	}
}

// Law 7: a store that is not where the journal is stops the start.
func TestNewRefusesAStoreElsewhere(t *testing.T) {
	j, longer, other := journal.NewMemory(), journal.NewMemory(), journal.NewMemory()
	recordertest.Bear(t, j)
	ahead, diverged := projections.NewMemory(), projections.NewMemory()
	s := newStageOver(t, longer, ahead, nil, recorder.Options{})
	if _, err := s.Record(ctx, recordertest.Namespace(pond, "a")); err != nil {
		t.Fatal(err)
	}
	s.Close()
	for _, w := range []uuid.UUID{lake, pond} {
		birth := recordertest.Draft(w, journal.IncarnationStarted{Name: "other", Location: "s3://lake/wh"})
		entry, _, err := journal.NewChain(w, uuid.New(), 0).Next(birth, journal.At(time.Now()))
		if err := errors.Join(err, other.Append(ctx, entry)); err != nil {
			t.Fatal(err)
		}
	}
	recordertest.CatchUp(t, other, diverged)
	for _, c := range []struct {
		store projections.Store
		want  error
	}{
		{projections.NewMemory(), recorder.ErrBehind},
		{ahead, projections.ErrAhead},
		{diverged, projections.ErrDiverged},
	} {
		if _, err := recorder.New(ctx, j, c.store, recorder.Options{}); !errors.Is(err, c.want) {
			t.Errorf("got %v, want %v", err, c.want)
		}
	}
	if _, err := recorder.New(ctx, longer, diverged, recorder.Options{}); !errors.Is(err, projections.ErrDiverged) {
		t.Errorf("got %v", err)
	}
}

// Damaged tables stop the recorder: they can only be made anew by a start.
func TestDamagedTablesStop(t *testing.T) {
	s := newStage(t, func(step string, done bool) error {
		if step == "apply" && !done {
			return projections.ErrDamaged
		}
		return nil
	}, recorder.Options{})
	if _, err := s.Record(ctx, recordertest.Namespace(lake, "a")); !errors.Is(err, recorder.ErrNotRecorded) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Record(ctx, recordertest.Namespace(lake, "b")); !errors.Is(err, recorder.ErrStopped) {
		t.Errorf("next: %v", err)
	}
	if err := s.Ready(); !errors.Is(err, recorder.ErrStopped) {
		t.Errorf("ready: %v", err)
	}
}
