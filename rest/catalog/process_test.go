package catalog_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"puddle/internal/quicktest"
	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/rest/catalog"
	"puddle/rest/catalog/catalogtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(quicktest.Tests(m)) }

var ctx = context.Background()

// lake is the warehouse of all tests.
var lake = uuid.MustParse("00000000-0000-4000-8000-000000000001")

// cause is who asks in tests that do not care.
var cause = journal.Cause{Actor: journal.Anonymous, Origin: journal.OriginREST}

// called is a cause that can be found again in the journal.
func called(request string) journal.Cause {
	c := cause
	c.RequestID = request
	return c
}

// process is one life of a server over a ground.
type process struct {
	*catalog.Catalog
	ground   *ground
	recorder *recorder.Recorder
}

// start begins a life; every I/O passes by f, which may be nil.
func (g *ground) start(tb rapid.TB, f *catalogtest.Steps) *process {
	tb.Helper()
	must(tb, projections.CatchUp(ctx, g.journal.Warehouse(lake), 0, g.pointers.Warehouse(lake)))
	r, err := recorder.New(ctx, f.Journal(g.journal), &faultyStore{g.pointers, f}, recorder.Options{})
	must(tb, err)
	p := &process{ground: g, recorder: r}
	p.Catalog = p.another(tb, f.Files(g.files))
	return p
}

// another is a catalog of the same process, as a second server would be one: it
// shares no lock with the first.
func (p *process) another(tb rapid.TB, files warehouse.Store) *catalog.Catalog {
	tb.Helper()
	location, err := warehouse.ParseLocation(p.ground.url)
	must(tb, err)
	return catalog.New(catalog.Options{
		ID:     lake,
		Roots:  warehouse.Roots{{URL: p.ground.url, Location: location, Store: keepingFiles(files)}},
		Reader: p.recorder.Reader(lake), Recorder: p.recorder, Journal: p.ground.journal.Warehouse(lake),
		Now: tick(), MaxDocument: journal.MaxDocumentBytes, DropKeep: 168 * time.Hour, PurgeGrace: 24 * time.Hour,
	})
}

// over is another whose files pass by a hook.
func (p *process) over(tb rapid.TB, hook faulty.Hook) *catalog.Catalog {
	return p.another(tb, faulty.New(p.ground.files, hook))
}

func (p *process) stop(tb rapid.TB) {
	tb.Helper()
	must(tb, p.recorder.Close())
}

// running is a life that the test ends.
func running(t *testing.T, g *ground) *process {
	t.Helper()
	p := g.start(t, nil)
	t.Cleanup(func() { p.stop(t) })
	return p
}

// fresh is a life over an empty ground in memory, with a namespace n.
func fresh(t *testing.T) *process {
	t.Helper()
	p := running(t, inMemory(t, ""))
	p.namespace(t, nil, "n")
	return p
}

// tick is a clock that goes on by a millisecond whenever it is looked at.
func tick() func() time.Time {
	var n atomic.Int64
	return func() time.Time { return time.UnixMilli(epoch + n.Add(1)).UTC() }
}

// epoch is when the clocks of tests begin, in milliseconds.
const epoch = 1_767_225_600_000

// bear begins the warehouse's history.
func bear(tb rapid.TB, g *ground) {
	tb.Helper()
	birth := journal.Draft{
		Warehouse: lake, ID: uuid.Must(uuid.NewV7()), Cause: cause,
		Body: journal.IncarnationStarted{Build: "test", Name: "lake", Location: g.url, Reason: "birth"},
	}
	entry, _, err := journal.NewChain(lake, uuid.New(), 0).Next(birth, journal.At(time.Now()))
	must(tb, err)
	must(tb, g.journal.Append(ctx, entry))
}
