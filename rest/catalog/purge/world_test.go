package purge_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"puddle/internal/quicktest"
	"puddle/internal/warehouse"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/rest/catalog/purge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(quicktest.Tests(m)) }

var (
	ctx   = context.Background()
	lake  = uuid.MustParse("00000000-0000-4000-8000-000000000001")
	cause = journal.Cause{Actor: journal.Anonymous, Origin: journal.OriginREST}
)

const (
	root  = "s3://lake/wh"
	grace = 24 * time.Hour
)

func must(tb rapid.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// world is a warehouse and its history.
type world struct {
	journal  journal.Journal
	pointers projections.Store
	files    warehouse.Store
	url      string
	recorder *recorder.Recorder
	clock    *clock
	grace    time.Duration
}

// clock dates events and is the job's. It stands, or goes with the time of a
// synctest bubble.
type clock struct {
	now   time.Time
	ticks bool
}

func (c *clock) Now() time.Time {
	if c.ticks {
		return time.Now().UTC().Truncate(time.Millisecond)
	}
	return c.now
}

func (c *clock) Read() journal.Instant { return journal.At(c.Now()) }

// newWorld is an empty one in memory.
func newWorld(tb rapid.TB) *world {
	tb.Helper()
	return worldAt(tb, &clock{now: time.UnixMilli(1_767_225_600_000).UTC()})
}

// ticking is an empty world whose clock goes with the time of a bubble.
func ticking(tb rapid.TB) *world {
	tb.Helper()
	return worldAt(tb, &clock{ticks: true})
}

func worldAt(tb rapid.TB, c *clock) *world {
	tb.Helper()
	w := &world{journal: journal.NewMemory(), pointers: projections.NewMemory(), files: memory.New(), url: root, clock: c, grace: grace}
	w.bear(tb)
	w.start(tb)
	return w
}

// bear begins the warehouse's history.
func (w *world) bear(tb rapid.TB) {
	tb.Helper()
	birth := journal.Draft{Warehouse: lake, ID: uuid.Must(uuid.NewV7()), Cause: cause, Body: journal.IncarnationStarted{
		Build: "test", Name: "lake", Location: w.url, Reason: "birth",
	}}
	entry, _, err := journal.NewChain(lake, uuid.New(), 0).Next(birth, w.clock.Read())
	must(tb, err)
	must(tb, w.journal.Append(ctx, entry))
}

// start brings up the pointers and begins to record.
func (w *world) start(tb rapid.TB) {
	tb.Helper()
	must(tb, projections.CatchUp(ctx, w.journal.Warehouse(lake), 0, w.pointers.Warehouse(lake)))
	r, err := recorder.New(ctx, w.journal, w.pointers, recorder.Options{Clock: w.clock})
	must(tb, err)
	w.recorder = r
	if _, err := r.Reader(lake).Namespace(ctx, journal.Namespace{"n"}); err != nil {
		w.record(tb, journal.NamespaceCreated{ID: uuid.New(), Namespace: journal.Namespace{"n"}})
	}
}

// fresh is a new world that ends with the test.
func fresh(t *testing.T) *world {
	w := newWorld(t)
	t.Cleanup(func() { w.stop(t) })
	return w
}

func (w *world) stop(tb rapid.TB) {
	tb.Helper()
	must(tb, w.recorder.Close())
}

func (w *world) record(tb rapid.TB, body journal.Body, documents ...journal.Document) journal.Event {
	tb.Helper()
	e, err := w.recorder.Record(ctx, journal.Draft{Warehouse: lake, ID: uuid.Must(uuid.NewV7()), Cause: cause, Body: body, Documents: documents})
	must(tb, err)
	return e
}

func (w *world) roots(tb rapid.TB) warehouse.Roots {
	tb.Helper()
	location, err := warehouse.ParseLocation(w.url)
	must(tb, err)
	return warehouse.Roots{{URL: w.url, Location: location, Store: w.files}}
}

// options are those of a job over the world.
func (w *world) options(tb rapid.TB) purge.Options {
	tb.Helper()
	return purge.Options{
		Warehouse: lake, Roots: w.roots(tb), Reader: w.recorder.Reader(lake), Documents: w.journal.Warehouse(lake),
		Recorder: w.recorder, Guard: open{}, Now: w.clock.Now, Grace: w.grace, Batch: 3, Parallel: 2,
	}
}

// open is a guard without anybody to keep away.
type open struct{}

func (open) Clear(context.Context, []journal.Place) (func(), error) { return func() {}, nil }

// outcomes runs a job until it has ended so many passes.
func outcomes(tb rapid.TB, o purge.Options, n int) []purge.Outcome {
	tb.Helper()
	told := make(chan purge.Outcome, n)
	o.Observe = func(outcome purge.Outcome) { told <- outcome }
	stop := run(purge.New(o))
	defer stop()
	var all []purge.Outcome
	for range n {
		all = append(all, <-told)
	}
	return all
}

// purged lets the grace of a drop pass and runs a job until the purge is closed.
func (w *world) purged(tb rapid.TB) purge.Report {
	tb.Helper()
	w.clock.now = w.clock.now.Add(w.grace)
	outcome := outcomes(tb, w.options(tb), 1)[0]
	if outcome.Result != purge.Closed {
		tb.Fatalf("the pass ended %s: %v", outcome.Result, outcome.Err)
	}
	return outcome.Report
}

// put stores a file under its location.
func (w *world) put(tb rapid.TB, location string, data []byte) {
	tb.Helper()
	must(tb, w.files.Put(ctx, w.key(tb, location), data))
}

func (w *world) key(tb rapid.TB, location string) string {
	tb.Helper()
	key, ok := strings.CutPrefix(location, w.url+"/")
	if !ok {
		tb.Fatalf("%s is not below %s", location, w.url)
	}
	return key
}

// left are the locations of all files but marks.
func (w *world) left(tb rapid.TB) []string {
	tb.Helper()
	var left []string
	for entry, err := range w.files.List(ctx, "") {
		must(tb, err)
		if !isMark(entry.Key) {
			left = append(left, w.url+"/"+entry.Key)
		}
	}
	return left
}

// wantLeft compares the files that are there with those that are to be.
func (w *world) wantLeft(tb rapid.TB, want ...string) {
	tb.Helper()
	left, want := w.left(tb), slices.Sorted(slices.Values(want))
	if !slices.Equal(left, want) {
		there, wanted := map[string]bool{}, map[string]bool{}
		for _, f := range left {
			there[f] = true
		}
		for _, f := range want {
			wanted[f] = true
			if !there[f] {
				tb.Errorf("%s is gone", f)
			}
		}
		for _, f := range left {
			if !wanted[f] {
				tb.Errorf("%s is left", f)
			}
		}
		tb.Fatalf("%d files are left, want %d", len(left), len(want))
	}
}

// reasons are what a report says, by location.
func reasons(r purge.Report) map[string]string {
	said := map[string]string{}
	for _, f := range r.Findings {
		said[f.Location] = f.Reason
	}
	return said
}

// pending are the purges that the reader has.
func (w *world) pending(tb rapid.TB) []projections.Purge {
	tb.Helper()
	purges, err := w.recorder.Reader(lake).Purges(ctx, 0, 0)
	must(tb, err)
	return purges
}

// closing is the event that closed the last purge.
func (w *world) closing(tb rapid.TB) journal.TablePurged {
	tb.Helper()
	for e, err := range w.journal.Warehouse(lake).ScanBack(ctx, 0) {
		must(tb, err)
		if body, ok := e.Body.(journal.TablePurged); ok {
			if e.Cause.Actor != "system:purge" {
				tb.Errorf("the actor is %s", e.Cause.Actor)
			}
			return body
		}
	}
	tb.Fatal("no purge was closed")
	return journal.TablePurged{}
}
