package purge_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog/purge"
)

// failing puts a hook before the world's store.
func (w *world) failing(o purge.Options, fails func(op faulty.Op, key string) error) purge.Options {
	root := o.Roots[0]
	root.Store = faulty.New(root.Store, func(op faulty.Op, key string) faulty.Fault { return faulty.Before(fails(op, key)) })
	o.Roots = warehouse.Roots{root}
	return o
}

// doomed is a world whose clock goes with the time of a bubble, with a table that is
// dropped and has no grace.
func doomed(t *testing.T) (w *world, dead *table) {
	t.Helper()
	w, dead = ticking(t), plain("dead", root+"/a")
	w.grace = 0
	w.dropped(t, dead)
	return w, dead
}

// A file that cannot be deleted is tried again, then counted as failed, as long as
// the store deletes others meanwhile; the purge closes, and the rest is gone.
func TestFileThatCannotBeDeleted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, dead := doomed(t)
		defer w.stop(t)
		bad := root + "/a/data/d0.parquet"
		began, passes := time.Now(), 0
		o := w.failing(w.options(t), func(op faulty.Op, key string) error {
			if op == faulty.Delete && root+"/"+key == bad {
				return errInjected
			}
			return nil
		})
		report := w.amongOthers(t, o, dead, func(outcome purge.Outcome) {
			passes++
			if !errors.Is(outcome.Err, errInjected) || !strings.Contains(outcome.Err.Error(), bad) {
				t.Errorf("pass %d ended with %v", passes, outcome.Err)
			}
		})
		if passes != purge.MaxPasses-1 || time.Since(began) < time.Hour {
			t.Errorf("given up after %d passes and %s", passes, time.Since(began))
		}
		if report.Failed != 1 || reasons(report)[bad] != "injected" || report.Removed != int64(len(dead.own)-1) {
			t.Errorf("report %+v", report)
		}
		w.wantLeft(t, bad)
	})
}

// amongOthers runs a job until it closes the purge of a table, and drops another
// after each pass that fails, so that the store is seen to work.
func (w *world) amongOthers(t *testing.T, o purge.Options, dead *table, waits func(purge.Outcome)) purge.Report {
	t.Helper()
	closed := make(chan purge.Outcome, 1)
	var job *purge.Job
	o.Observe = func(outcome purge.Outcome) {
		switch {
		case outcome.Purge.Table != dead.id:
		case outcome.Result == purge.Waiting:
			waits(outcome)
			w.dropped(t, plain("other", root+"/"+uuid.NewString()))
			job.Wake()
		default:
			closed <- outcome
		}
	}
	job = purge.New(o)
	stop := run(job)
	defer stop()
	return (<-closed).Report
}

// A store that takes no deletes, or answers nothing, is waited for, however long
// it takes; nothing is counted as failed.
func TestStoreThatIsDown(t *testing.T) {
	for name, down := range map[string]func(op faulty.Op) bool{
		"read only": func(op faulty.Op) bool { return op == faulty.Delete },
		"silent":    func(faulty.Op) bool { return true },
		"no reads":  func(op faulty.Op) bool { return op == faulty.Get },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w, dead := doomed(t)
				defer w.stop(t)
				up := time.Now().Add(100 * 24 * time.Hour)
				o := w.failing(w.options(t), func(op faulty.Op, _ string) error {
					if time.Now().Before(up) && down(op) {
						return errInjected
					}
					return nil
				})
				closed := make(chan purge.Outcome)
				o.Observe = func(outcome purge.Outcome) {
					if outcome.Result != purge.Waiting {
						closed <- outcome
					} else if left := len(w.left(t)); left != len(dead.own) {
						t.Errorf("%d files are left while the store is down", left)
					}
				}
				job := purge.New(o)
				stop := run(job)
				time.Sleep(time.Hour)
				if p := job.Progress(); !errors.Is(p.Err, errInjected) || p.Next.IsZero() || p.Current != nil || p.Closed != 0 {
					t.Errorf("progress %+v", p)
				}
				report := (<-closed).Report
				stop()
				if time.Now().Before(up) || report.Failed != 0 || report.Removed != int64(len(dead.own)) {
					t.Errorf("report %+v at %s", report, time.Now())
				}
				w.wantLeft(t)
			})
		})
	}
}

// The metadata file is not given up: without it nobody could tell what is left.
func TestLastFileIsNotGivenUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, dead := doomed(t)
		defer w.stop(t)
		up := time.Now().Add(100 * time.Hour)
		o := w.failing(w.options(t), func(op faulty.Op, key string) error {
			if op == faulty.Delete && root+"/"+key == dead.current && time.Now().Before(up) {
				return errInjected
			}
			return nil
		})
		report := w.amongOthers(t, o, dead, func(purge.Outcome) {})
		if time.Now().Before(up) || report.Removed != int64(len(dead.own)) || report.Failed != 0 {
			t.Errorf("closed at %s: %+v", time.Now(), report)
		}
		w.wantLeft(t)
	})
}

// One table's trouble, be it a panic, holds up no other (law 11).
func TestLaw11_OtherTablesAreNotHeldUp(t *testing.T) {
	w := fresh(t)
	for _, name := range []string{"panics", "broken", "fine"} {
		w.dropped(t, plain(name, root+"/"+name))
	}
	w.clock.now = w.clock.now.Add(grace)
	o := w.failing(w.options(t), func(op faulty.Op, key string) error {
		switch {
		case strings.HasPrefix(key, "panics/"):
			panic("bad luck")
		case strings.HasPrefix(key, "broken/"):
			return errInjected
		}
		return nil
	})
	var results []purge.Result
	for _, outcome := range outcomes(t, o, 3) {
		results = append(results, outcome.Result)
	}
	if !slices.Equal(results, []purge.Result{purge.Waiting, purge.Waiting, purge.Closed}) {
		t.Errorf("results %q", results)
	}
	w.wantLeft(t, append(plain("", root+"/panics").own, plain("", root+"/broken").own...)...)
}

// silent is a reader that does not answer one of its questions.
type silent struct {
	purge.Reader
	question string
}

func (s silent) Purge(ctx context.Context, table uuid.UUID) (projections.Purge, bool, error) {
	if s.question == "purge" {
		return projections.Purge{}, false, errInjected
	}
	return s.Reader.Purge(ctx, table)
}

func (s silent) PlaceHolder(ctx context.Context, path string, except uuid.UUID) (uuid.UUID, bool, error) {
	if s.question == "holder" {
		return uuid.Nil, false, errInjected
	}
	return s.Reader.PlaceHolder(ctx, path, except)
}

type shut struct{}

func (shut) Clear(context.Context, []journal.Place) (func(), error) { return nil, errInjected }

// Who cannot ask deletes nothing.
func TestNothingGoesUnasked(t *testing.T) {
	for _, question := range []string{"purge", "holder", "guard"} {
		w := fresh(t)
		dead := plain("dead", root+"/a")
		w.dropped(t, dead)
		w.clock.now = w.clock.now.Add(grace)
		log := w.watch(t)
		o := w.options(t)
		o.Reader = silent{o.Reader, question}
		if question == "guard" {
			o.Guard = shut{}
		}
		outcome := outcomes(t, o, 1)[0]
		if outcome.Result != purge.Waiting || !errors.Is(outcome.Err, errInjected) || len(log.deleted()) != 0 {
			t.Errorf("%s: %s, %v, deleted %q", question, outcome.Result, outcome.Err, log.deleted())
		}
		w.wantLeft(t, dead.own...)
	}
}

// An event whose outcome is unknown is recorded once, whether it was there or not.
func TestUnknownOutcome(t *testing.T) {
	for _, done := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			w := ticking(t)
			defer w.stop(t)
			w.grace = 0
			dead := plain("dead", root+"/a")
			w.create(t, dead)
			drop := w.drop(t, dead, true)
			o := w.options(t)
			o.Recorder = &forgetful{Recorder: w.recorder, done: done}
			var results []purge.Result
			o.Observe = func(outcome purge.Outcome) {
				results = append(results, outcome.Result)
				if outcome.Result == purge.Waiting && !errors.Is(outcome.Err, journal.ErrUnknownOutcome) {
					t.Errorf("waits for %v", outcome.Err)
				}
			}
			stop := run(purge.New(o))
			time.Sleep(time.Hour)
			stop()
			if results[0] != purge.Waiting || done != (len(results) == 1) || !done && results[1] != purge.Closed {
				t.Errorf("done %v: %q", done, results)
			}
			if body := w.closing(t); body.Removed != int64(len(dead.own)) {
				t.Errorf("closed by %+v", body)
			}
			w.wantClosedOnce(t, drop.ID)
		})
	}
}

// forgetful does not know the outcome of the first draft.
type forgetful struct {
	purge.Recorder
	done  bool
	asked atomic.Bool
}

func (f *forgetful) Record(ctx context.Context, d journal.Draft) (journal.Event, error) {
	if f.asked.Swap(true) {
		return f.Recorder.Record(ctx, d)
	}
	if f.done {
		if _, err := f.Recorder.Record(ctx, d); err != nil {
			return journal.Event{}, err
		}
	}
	return journal.Event{}, journal.ErrUnknownOutcome
}
