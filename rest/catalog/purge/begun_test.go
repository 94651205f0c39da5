package purge_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/warehouse/faulty"
	"puddle/rest/catalog/purge"
	"puddle/rest/catalog/purge/mark"
)

func isMark(key string) bool { return strings.HasPrefix(key, mark.Folder+"/") }

// wantMarks compares the marks that are there with those of the purges that drops
// asked for.
func (w *world) wantMarks(tb rapid.TB, drops ...uuid.UUID) {
	tb.Helper()
	var want, got []string
	for _, drop := range drops {
		want = append(want, mark.Key(drop))
	}
	slices.Sort(want)
	for entry, err := range w.files.List(ctx, mark.Folder) {
		must(tb, err)
		got = append(got, entry.Key)
	}
	if !slices.Equal(got, want) {
		tb.Errorf("marks %q, want %q", got, want)
	}
}

// wantMarked: as long as a purge is pending there is a mark when one of the files
// that were there is gone.
func (w *world) wantMarked(tb rapid.TB, drop uuid.UUID, had []string) {
	tb.Helper()
	_, marked, err := mark.Find(ctx, w.files, drop)
	must(tb, err)
	if pending := len(w.pending(tb)) > 0; pending && !marked && !slices.Equal(w.left(tb), had) {
		tb.Errorf("files are gone and nothing says so: %d of %d are left", len(w.left(tb)), len(had))
	}
}

// A purge is marked before its first delete, and not after it was recorded. The
// moment of the first mark stays.
func TestMark(t *testing.T) {
	w := fresh(t)
	dead := plain("dead", root+"/a")
	w.dropped(t, dead)
	drop := w.pending(t)[0].Drop
	w.clock.now = w.clock.now.Add(grace)
	began := w.clock.now
	first := w.failing(w.options(t), func(op faulty.Op, key string) error {
		if op != faulty.Delete || isMark(key) {
			return nil
		}
		if m, there, err := mark.Find(ctx, w.files, drop); err != nil || !there || m != (mark.Mark{Table: dead.id, Drop: drop, BegunAt: began}) {
			t.Errorf("at a delete: %+v, %v, %v", m, there, err)
		}
		return errInjected
	})
	if o := outcomes(t, first, 1)[0]; o.Result != purge.Waiting {
		t.Fatalf("it ended %s", o.Result)
	}
	w.clock.now = w.clock.now.Add(time.Hour)
	if o := outcomes(t, first, 1)[0]; o.Result != purge.Waiting { // of the next process
		t.Fatalf("it ended %s", o.Result)
	}
	w.wantMarks(t, drop)
	if o := outcomes(t, w.options(t), 1)[0]; o.Result != purge.Closed {
		t.Fatalf("it ended %s", o.Result)
	}
	w.wantLeft(t)
	w.wantMarks(t)
}

// What is never begun is never marked: nothing that may go, no answer, no journal
// that outlives the process. What cannot be marked is not begun.
func TestNoMark(t *testing.T) {
	for name, test := range map[string]struct {
		ephemeral, held bool
		fails           faulty.Op
		want            purge.Result
	}{
		"ephemeral":            {ephemeral: true, want: purge.Closed},
		"held by another":      {held: true, want: purge.Closed},
		"no answer":            {fails: faulty.Get, want: purge.Waiting},
		"it cannot be written": {fails: faulty.Put, want: purge.Waiting},
	} {
		t.Run(name, func(t *testing.T) {
			w := fresh(t)
			dead := plain("dead", root+"/a")
			w.dropped(t, dead)
			want := dead.own
			if test.held {
				next := marked("next", root+"/a", "next-")
				w.create(t, next)
				want = append(want, next.own...)
			}
			w.clock.now = w.clock.now.Add(grace)
			o := w.failing(w.options(t), func(op faulty.Op, key string) error {
				if isMark(key) && (op == faulty.Put || op == faulty.Delete) && test.fails == "" && !test.held {
					t.Errorf("%s %s", op, key)
				}
				if op == test.fails {
					return errInjected
				}
				return nil
			})
			o.Ephemeral = test.ephemeral
			outcome := outcomes(t, o, 1)[0]
			if outcome.Result != test.want || test.want == purge.Waiting && !errors.Is(outcome.Err, errInjected) {
				t.Errorf("it ended %s: %v", outcome.Result, outcome.Err)
			}
			if test.ephemeral {
				want = nil
			}
			w.wantLeft(t, want...)
			w.wantMarks(t)
		})
	}
}

// Marks of closed purges that were left are removed at the next start; others, and
// what is no mark, stay.
func TestSweep(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.stop(t)
		closed, pending := plain("closed", root+"/a"), plain("pending", root+"/b")
		w.dropped(t, closed)
		done := w.pending(t)[0].Drop
		w.purged(t)
		w.dropped(t, pending)
		waits, unknown, damaged := w.pending(t)[0].Drop, uuid.New(), uuid.New()
		for drop, table := range map[uuid.UUID]uuid.UUID{done: closed.id, waits: pending.id, unknown: uuid.New()} {
			must(t, mark.Write(ctx, w.files, mark.Mark{Table: table, Drop: drop, BegunAt: w.clock.now}))
		}
		must(t, w.files.Put(ctx, mark.Key(damaged), []byte("{")))
		w.nothingHappens(t)
		w.wantMarks(t, waits, unknown, damaged)
		w.wantLeft(t, pending.own...)
	})
}
