package purge_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers/sqlite"
	"puddle/projections/recorder"
	"puddle/rest/catalog/catalogtest"
	"puddle/rest/catalog/purge"
)

// Every step of a purge fails, in every way, or is the last of a process (law 5).
// In the end the files are the same, and one event closes the purge. Tables that
// are lost meanwhile are built anew and purge nothing again.
func TestFaultMatrix(t *testing.T) {
	steps := checkFault(t, 0, "")
	for at, step := range steps {
		ways := []fault{before, after, killedBefore, killedAfter}
		if step == "journal append" {
			ways = append(ways, lost)
		}
		for _, how := range ways {
			t.Run(fmt.Sprintf("%d %s/%s", at+1, step, how), func(t *testing.T) { checkFault(t, at+1, how) })
		}
	}
	if len(steps) < 60 || !slices.Contains(steps, "journal append") || !slices.Contains(steps, "clear") || !slices.Contains(steps, "ask for holder") {
		t.Errorf("the steps are %q", steps)
	}
}

// checkFault purges a table with a fault and answers the steps.
func checkFault(t *testing.T, at int, how fault) (steps []string) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		f := &catalogtest.Steps{At: at, How: how}
		w, stay := troubled(t)
		drop, had := w.pending(t)[0].Drop, w.left(t)
		w.survive(t, f)
		w.restart(t)
		w.wantMarked(t, drop, had)
		w.finish(t)
		w.stop(t)
		w.wantLeft(t, stay...)
		w.wantClosedOnce(t, drop)
		w.pointers = projections.NewMemory()
		w.restart(t)
		log := w.watch(t)
		w.nothingHappens(t)
		if gone := log.deleted(); len(gone) != 0 {
			t.Errorf("tables that were built anew purged %q", gone)
		}
		w.wantMarks(t)
		w.stop(t)
		steps = f.Since(0)
	})
	return steps
}

// troubled is a world with a dropped table whose manifests name others' files too,
// and what is to be left of it. Its clock goes with the time.
func troubled(t *testing.T) (w *world, stay []string) {
	t.Helper()
	w = ticking(t)
	w.grace = 0
	dead, twin, nested := plain("dead", root+"/a"), plain("twin", root+"/ab"), plain("nested", root+"/a/data/nested")
	spots["data file"](dead, twin.own[0], root+"/a/data/stray", root+"/a/data/nested/data/d0.parquet")
	spots["metadata log"](dead, root+"/stray")
	w.put(t, root+"/stray", nil)
	w.create(t, twin)
	w.dropped(t, dead)
	w.create(t, nested)
	return w, slices.Concat(twin.names(), nested.names(), []string{root + "/stray"})
}

// restart is the next life of the process, with the tables that are there.
func (w *world) restart(tb rapid.TB) {
	tb.Helper()
	must(tb, w.recorder.Close())
	w.start(tb)
}

// survive runs a job until it closes a purge, is killed, or the recorder stops.
func (w *world) survive(t *testing.T, f *catalogtest.Steps) {
	t.Helper()
	must(t, w.recorder.Close())
	r, err := recorder.New(ctx, f.Journal(w.journal), w.pointers, recorder.Options{Clock: w.clock})
	must(t, err)
	over := make(chan error, 64)
	o := w.options(t)
	o.Roots = warehouse.Roots{{URL: root, Location: o.Roots[0].Location, Store: f.Files(w.files)}}
	o.Reader, o.Recorder, o.Guard, o.Forget = reader{r.Reader(lake), f}, r, guard{f}, forgetting(f)
	o.Observe = func(outcome purge.Outcome) {
		if outcome.Result != purge.Waiting || errors.Is(outcome.Err, journal.ErrUnknownOutcome) {
			over <- outcome.Err
		} else if !strings.Contains(outcome.Err.Error(), "injected") {
			t.Errorf("a pass ended with %v", outcome.Err)
		}
	}
	stop := run(purge.New(o))
	select {
	case <-over:
	case <-f.Killed():
	}
	stop()
	must(t, r.Close())
}

// finish runs a job until nothing is left to purge.
func (w *world) finish(t *testing.T) {
	t.Helper()
	for range w.pending(t) {
		if o := outcomes(t, w.options(t), 1)[0]; o.Result != purge.Closed {
			t.Fatalf("a pass ended %s: %v", o.Result, o.Err)
		}
	}
}

// wantClosedOnce: one event closes the purge that a drop asked for.
func (w *world) wantClosedOnce(t *testing.T, drop [16]byte) {
	t.Helper()
	closed := 0
	for e, err := range w.journal.Warehouse(lake).Scan(ctx, 0) {
		must(t, err)
		if body, ok := e.Body.(journal.TablePurged); ok && body.Drop == drop {
			closed++
		}
	}
	if closed != 1 {
		t.Errorf("%d events close the purge", closed)
	}
}

// Pointer tables that are deleted between two passes, or after the last, are built
// anew: what was purged is not purged again, what was not is.
func TestDeletedTables(t *testing.T) {
	w := fresh(t)
	file := filepath.Join(t.TempDir(), "puddle.db")
	open := func() {
		must(t, w.recorder.Close())
		must(t, os.RemoveAll(file))
		tables, err := sqlite.Open(file, sqlite.Options{})
		must(t, err)
		w.pointers = tables
		w.start(t)
	}
	open()
	first, second := plain("first", root+"/a"), plain("second", root+"/b")
	w.dropped(t, first)
	w.purged(t)
	w.wantLeft(t)
	again := plain("again", root+"/a") // as if a backup of the files had come back
	again.id, again.own = first.id, first.own
	w.store(t, again)
	w.dropped(t, second)
	must(t, w.pointers.Close())
	open()
	if pending := w.pending(t); len(pending) != 1 || pending[0].Table != second.id {
		t.Fatalf("pending: %v", pending)
	}
	w.purged(t)
	w.wantLeft(t, first.own...)
	must(t, w.recorder.Close())
	must(t, w.pointers.Close())
	w.pointers = projections.NewMemory()
	w.start(t)
}
