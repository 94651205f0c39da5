package purge_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/rest/catalog/purge"
)

// All files of the table are gone, and only they; the event says how many.
func TestCase135_PurgeRemovesWhatIsReached(t *testing.T) {
	w := fresh(t)
	dead, alive := plain("dead", root+"/a"), plain("alive", root+"/ab")
	w.create(t, alive)
	strays := []string{root + "/a/data/stray.parquet", root + "/a/metadata/00000-older.metadata.json", root + "/a-1/x", root + "/a%20b/x"}
	for _, location := range strays {
		w.put(t, location, nil)
	}
	w.dropped(t, dead)
	before := w.left(t)
	report := w.purged(t)
	w.wantLeft(t, append(alive.names(), strays...)...)
	if want := int64(len(before) - len(w.left(t))); report.Removed != want || report.Kept != 0 || report.Failed != 0 || len(report.Findings) != 0 {
		t.Errorf("report %+v, want %d removed", report, want)
	}
	body := w.closing(t)
	if body.Table != dead.id || body.Removed != report.Removed || body.Bytes != report.Bytes || body.Bytes == 0 || len(w.pending(t)) != 0 {
		t.Errorf("closed by %+v, pending %v", body, w.pending(t))
	}
}

// The table's files are there until the grace ends, and a job that waits for it
// wakes up by itself.
func TestGrace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.stop(t)
		dead := plain("dead", root+"/a")
		w.dropped(t, dead)
		due := w.clock.now.Add(grace)
		w.clock.now = due.Add(-1)
		if next := w.nothingHappens(t); !next.Equal(due) {
			t.Errorf("the next look is at %s, want %s", next, due)
		}
		w.wantLeft(t, dead.names()...)
		w.clock.now = w.clock.now.Add(1 - grace)
		w.purged(t)
		w.wantLeft(t)
	})
}

// Whatever a process takes the time for, no purge begins before it is due by the clock that
// is asked, nor while that cannot be asked.
func TestGraceIsAsked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := ticking(t)
		defer w.stop(t)
		dead := plain("dead", root+"/a")
		w.dropped(t, dead)
		o := w.options(t)
		var there atomic.Bool
		o.Now = func() time.Time { return w.clock.Now().Add(2 * grace) }
		o.Ask = func(context.Context) (time.Time, error) {
			if !there.Load() {
				return time.Time{}, errors.New("away")
			}
			return w.clock.Now(), nil
		}
		defer run(purge.New(o))()
		time.Sleep(grace - time.Minute)
		w.wantLeft(t, dead.names()...)
		there.Store(true)
		time.Sleep(time.Minute - time.Second)
		synctest.Wait()
		w.wantLeft(t, dead.names()...)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		w.wantLeft(t)
	})
}

// Files of one kind go before those that name them.
func TestOrder(t *testing.T) {
	w := fresh(t)
	dead := plain("dead", root+"/a")
	dead.inline, dead.version = []string{root + "/a/metadata/m4.avro"}, 1
	dead.manifests[dead.inline[0]] = []string{root + "/a/data/d5.parquet"}
	dead.own = dead.names()
	w.dropped(t, dead)
	log := w.watch(t)
	w.purged(t)
	w.wantLeft(t)
	rank := func(location string) int {
		switch {
		case dead.lists[location] != nil:
			return 2
		case dead.manifests[location] != nil:
			return 1
		case slices.Contains(append(dead.statistics, dead.partitions...), location):
			return 3
		case slices.Contains(dead.log, location):
			return 4
		case location == dead.current:
			return 5
		}
		return 0
	}
	deleted := log.deleted()
	if !slices.IsSortedFunc(deleted, func(a, b string) int { return rank(a) - rank(b) }) || len(deleted) != len(dead.names()) {
		t.Errorf("deleted in the order %q", deleted)
	}
}

// Whoever forbids to collect garbage keeps the data (as Iceberg's own drop does).
func TestDataStaysWithoutGC(t *testing.T) {
	for _, value := range []string{"false", "FALSE", "False"} {
		w := fresh(t)
		dead := plain("dead", root+"/a")
		dead.properties = map[string]string{"gc.enabled": value}
		w.dropped(t, dead)
		report := w.purged(t)
		var data []string
		for _, files := range dead.manifests {
			data = append(data, files...)
		}
		slices.Sort(data)
		w.wantLeft(t, slices.Compact(data)...)
		if said := reasons(report)[dead.location]; said != "gc.enabled is false: its data and delete files stay" || len(report.Findings) != 1 {
			t.Errorf("findings %v", report.Findings)
		}
	}
	for _, value := range []string{"true", "no", ""} {
		w := fresh(t)
		dead := plain("dead", root+"/a")
		dead.properties = map[string]string{"gc.enabled": value}
		w.dropped(t, dead)
		w.purged(t)
		w.wantLeft(t)
	}
}

// A table whose current metadata file is gone, or is another's, is purged with the
// journal's copy.
func TestLostMetadata(t *testing.T) {
	for name, lose := range map[string]func(*world, *table) error{
		"gone": func(w *world, dead *table) error { return w.files.Delete(ctx, w.key(t, dead.current)) },
		"torn": func(w *world, dead *table) error { return w.files.Put(ctx, w.key(t, dead.current), []byte("{")) },
		"other": func(w *world, dead *table) error {
			return w.files.Put(ctx, w.key(t, dead.current), []byte(`{"location":"x"}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := fresh(t)
			dead := plain("dead", root+"/a")
			w.dropped(t, dead)
			must(t, lose(w, dead))
			w.purged(t)
			w.wantLeft(t)
		})
	}
}

// Without a copy nothing can be reached: the purge is closed and says so.
func TestLostForGood(t *testing.T) {
	w := fresh(t)
	dead := plain("dead", root+"/a")
	w.dropped(t, dead)
	must(t, w.files.Delete(ctx, w.key(t, dead.current)))
	before := w.left(t)
	options := w.options(t)
	options.Documents = journal.NewMemory().Warehouse(lake)
	w.clock.now = w.clock.now.Add(grace)
	report := outcomes(t, options, 1)[0].Report
	w.wantLeft(t, before...)
	if said := reasons(report)[dead.current]; said != "it is gone, and the journal keeps no copy: nothing else can be reached" {
		t.Errorf("said %q", said)
	}
}

// A root that is no longer configured is waited for: its tables' purges are not
// closed with nothing done.
func TestRootThatIsNotConfigured(t *testing.T) {
	w := fresh(t)
	inside, beside := plain("inside", root+"/in/a"), plain("beside", root+"/in/b")
	beside.places = []string{root + "/out/b"}
	outside := plain("outside", root+"/out/c")
	for _, dead := range []*table{inside, beside, outside} {
		w.dropped(t, dead)
	}
	w.clock.now = w.clock.now.Add(grace)
	o := w.options(t)
	narrow, err := warehouse.ParseLocation(root + "/in")
	must(t, err)
	o.Roots = warehouse.Roots{{URL: root + "/in", Location: narrow, Store: below{w.files, "in/"}}}
	got := outcomes(t, o, 3)
	for i, want := range []purge.Result{purge.Closed, purge.Waiting, purge.Waiting} {
		if got[i].Result != want || want == purge.Waiting && !errors.Is(got[i].Err, warehouse.ErrOutside) {
			t.Errorf("%s ended %s: %v", got[i].Purge.Identifier, got[i].Result, got[i].Err)
		}
	}
	w.wantLeft(t, append(beside.own, outside.own...)...)
}

// below is a store in a folder of another.
type below struct {
	warehouse.Store
	folder string
}

func (b below) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	return b.Store.Get(ctx, b.folder+key, limit)
}

func (b below) Put(ctx context.Context, key string, data []byte) error {
	return b.Store.Put(ctx, b.folder+key, data)
}

func (b below) Stat(ctx context.Context, key string) (warehouse.Info, error) {
	return b.Store.Stat(ctx, b.folder+key)
}

func (b below) Delete(ctx context.Context, key string) error {
	return b.Store.Delete(ctx, b.folder+key)
}
