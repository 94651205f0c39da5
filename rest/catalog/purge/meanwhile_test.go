package purge_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/rest/catalog"
	"puddle/rest/catalog/purge"
)

// What a server gives a job.
var (
	_ purge.Guard     = (*catalog.Catalog)(nil)
	_ purge.Recorder  = (*recorder.Recorder)(nil)
	_ purge.Reader    = (projections.Reader)(nil)
	_ purge.Documents = (journal.Reader)(nil)
)

// between does something before the n-th batch, while nothing is cleared.
type between struct {
	n    int
	do   func()
	seen int
}

func (b *between) Clear(_ context.Context, places []journal.Place) (func(), error) {
	if b.seen++; b.seen == b.n {
		b.do()
	}
	return func() {}, nil
}

// An object that is born while a purge is under way keeps what is in its place
// from then on; so do two of them, and one above the table.
func TestBirthsBetweenBatches(t *testing.T) {
	for place, stays := range map[string]func(file string) bool{
		"a":          func(string) bool { return true },
		"a/metadata": func(file string) bool { return strings.HasPrefix(file, root+"/a/metadata/") },
		"a/data":     func(file string) bool { return strings.HasPrefix(file, root+"/a/data/") },
		"ab":         func(string) bool { return false },
	} {
		w := fresh(t)
		dead, born := plain("dead", root+"/a"), marked("born", root+"/"+place, "b-")
		w.dropped(t, dead)
		w.clock.now = w.clock.now.Add(grace)
		o := w.options(t)
		var gone []string
		o.Guard = &between{n: 2, do: func() {
			gone = slices.DeleteFunc(slices.Clone(dead.own), func(f string) bool { return slices.Contains(w.left(t), f) })
			w.create(t, born)
		}}
		outcome := outcomes(t, o, 1)[0]
		want := slices.Clone(born.own)
		for _, f := range dead.own {
			if stays(f) && !slices.Contains(gone, f) {
				want = append(want, f)
				if said := reasons(outcome.Report)[f]; said != "it is in a place of "+born.id.String() {
					t.Errorf("%s: %q", f, said)
				}
			}
		}
		if outcome.Result != purge.Closed || len(gone) != o.Batch {
			t.Errorf("%s: %s after %d", place, outcome.Result, len(gone))
		}
		w.wantLeft(t, want...)
	}
}

// A place that is used again during the grace is safe: all that is in it stays.
func TestPlaceUsedAgainDuringTheGrace(t *testing.T) {
	w := fresh(t)
	dead, next := plain("dead", root+"/a"), marked("dead", root+"/a", "next-")
	spots["data file"](dead, next.own...)
	w.dropped(t, dead)
	w.create(t, next)
	report := w.purged(t)
	w.wantLeft(t, append(next.own, dead.own...)...)
	if report.Removed != 0 || report.Kept != int64(len(dead.own)+len(next.own)) {
		t.Errorf("report %+v", report.Counts)
	}
}

// A table that comes back ends its purge: before it begins nothing is touched, in
// its middle nothing more.
func TestTableThatComesBack(t *testing.T) {
	for n := range 6 {
		w := fresh(t)
		dead := plain("dead", root+"/a")
		w.dropped(t, dead)
		w.clock.now = w.clock.now.Add(grace)
		o := w.options(t)
		var left []string
		o.Guard = &between{n: n + 1, do: func() {
			w.register(t, dead)
			left = w.left(t)
		}}
		if outcome := outcomes(t, o, 1)[0]; outcome.Result != purge.Cancelled || outcome.Report.Removed != int64(len(dead.own)-len(left)) {
			t.Errorf("before batch %d: %s, %+v", n+1, outcome.Result, outcome.Report)
		}
		w.wantLeft(t, left...)
	}
}

// A drop of the same table without a purge, or another drop, is another matter.
func TestDroppedAgain(t *testing.T) {
	for _, asked := range []bool{true, false} {
		w := fresh(t)
		dead := plain("dead", root+"/a")
		w.dropped(t, dead)
		w.clock.now = w.clock.now.Add(grace)
		o := w.options(t)
		o.Guard = &between{n: 2, do: func() {
			w.register(t, dead)
			w.drop(t, dead, asked)
		}}
		if outcome := outcomes(t, o, 1)[0]; outcome.Result != purge.Cancelled || outcome.Report.Removed != 3 {
			t.Errorf("%s, %+v", outcome.Result, outcome.Report)
		}
		if len(w.left(t)) != len(dead.own)-3 || (len(w.pending(t)) == 1) != asked {
			t.Errorf("left %q, pending %v", w.left(t), w.pending(t))
		}
	}
}

// Files are judged and deleted in batches, so many at a time, so many a second.
func TestPace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _ := doomed(t)
		defer w.stop(t)
		var mu sync.Mutex
		now, most, all := 0, 0, 0
		o := w.failing(w.options(t), func(op faulty.Op, _ string) error {
			if op != faulty.Stat {
				return nil
			}
			mu.Lock()
			now, all = now+1, all+1
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			now--
			return nil
		})
		o.Batch, o.Parallel, o.Rate = 4, 3, 2
		guard := &between{}
		o.Guard = guard
		began := time.Now()
		outcomes(t, o, 1)
		took, least := time.Since(began), time.Duration(all-o.Batch)*time.Second/2
		if took < least || took > least+5*time.Second {
			t.Errorf("%d files took %s", all, took)
		}
		if most != 2 || guard.seen < all/2 {
			t.Errorf("%d files at the same time, in %d batches", most, guard.seen)
		}
	})
}

// Wake has a job look at once.
func TestWake(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := ticking(t)
		defer w.stop(t)
		w.grace = 0
		told := make(chan purge.Outcome, 1)
		o := w.options(t)
		o.Observe = func(outcome purge.Outcome) { told <- outcome }
		job := purge.New(o)
		stop := run(job)
		defer stop()
		time.Sleep(time.Minute)
		began := time.Now()
		w.dropped(t, plain("dead", root+"/a"))
		job.Wake()
		if outcome := <-told; outcome.Result != purge.Closed || !time.Now().Equal(began) {
			t.Errorf("%s after %s", outcome.Result, time.Since(began))
		}
		if p := job.Progress(); p.Closed != 1 || p.Files.Removed == 0 || p.Files.Bytes == 0 || p.Err != nil {
			t.Errorf("progress %+v", p)
		}
	})
}
