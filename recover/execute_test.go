package recover_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/projections/sidecars"
	"puddle/recover"
	"puddle/rest/catalog"
)

const (
	ruinURL  = "s3://lake/wh"
	ruinName = "lake"
)

// ruin is a warehouse whose journal is lost, and the disk of the machine that recovers
// it, which outlives processes.
type ruin struct {
	t       *testing.T
	files   *memory.Store
	journal *journal.Memory
}

// newRuin has sidecars of tables in nested namespaces, of a view, of a table that was
// dropped, and of one whose file is gone.
func newRuin(t *testing.T) *ruin {
	r := &ruin{t, memory.New(), journal.NewMemory()}
	for i := range 6 {
		r.table(fmt.Sprint("t", i), journal.Namespace{"a", "b", "c"}[:1+i%3], sidecars.Active)
	}
	r.table("gone", journal.Namespace{"a"}, sidecars.Dropped)
	id := r.table("lost", journal.Namespace{"z"}, sidecars.Active)
	r.must(r.files.Delete(t.Context(), id.String()+"/metadata/00000-x.metadata.json"))
	r.namespace(journal.Namespace{"a"}, map[string]string{"owner": "ana"})
	r.namespace(journal.Namespace{"empty"}, map[string]string{})
	return r
}

func (r *ruin) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *ruin) put(key string, data []byte, err error) {
	r.t.Helper()
	r.must(err)
	r.must(r.files.Put(r.t.Context(), key, data))
}

// id is the same for one name in every ruin.
func (r *ruin) id(name string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)) }

func (r *ruin) table(name string, in journal.Namespace, state sidecars.State) uuid.UUID {
	id := r.id(name)
	location := ruinURL + "/" + id.String()
	at := location + "/metadata/00000-x.metadata.json"
	r.put(id.String()+"/metadata/00000-x.metadata.json", fmt.Appendf(nil, `{"format-version":2,"table-uuid":%q,"location":%q,`+
		`"last-sequence-number":0,"last-updated-ms":1790000000000,"last-column-id":1,"current-schema-id":0,`+
		`"schemas":[{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"a","required":false,"type":"int"}]}],`+
		`"default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[]}],"last-partition-id":999,`+
		`"default-sort-order-id":0,"sort-orders":[{"order-id":0,"fields":[]}]}`, id, location), nil)
	data, err := sidecars.Encode(sidecars.Object{
		Kind: journal.Table, Warehouse: ruinName, Identifier: journal.Identifier{Namespace: in, Name: name}, UUID: id,
		Location: location, MetadataLocation: at, State: state, UpdatedAt: clock.Trusted, Extras: r.extras(),
	})
	r.put(sidecars.Key(id), data, err)
	return id
}

func (r *ruin) namespace(n journal.Namespace, properties map[string]string) {
	id := r.id("namespace " + n.String())
	data, err := sidecars.EncodeNamespace(sidecars.Namespace{
		ID: id, Warehouse: ruinName, Name: n, Properties: properties, State: sidecars.Active, UpdatedAt: clock.Trusted, Extras: r.extras(),
	})
	r.put(sidecars.NamespaceKey(id), data, err)
}

// extras are those of a history that ended at 1,234,567.
func (r *ruin) extras() sidecars.Extras {
	return sidecars.Extras{WarehouseID: r.id("warehouse"), Incarnation: r.id("incarnation"), Seq: 1_234_567, EventID: r.id("event")}
}

// faults says how the calls of one process fail.
type faults struct {
	store  faulty.Hook
	append func() faulty.Fault
}

// broken is a journal that fails where a test says.
type broken struct {
	journal.Journal
	fault func() faulty.Fault
}

// Append implements journal.Writer.
func (b broken) Append(ctx context.Context, entries ...journal.Entry) error {
	fault := b.fault()
	if fault.Err != nil && !fault.Applied {
		return fault.Err
	}
	if err := b.Journal.Append(ctx, entries...); err != nil {
		return err
	}
	return fault.Err
}

// run is one process that recovers: what the command does.
func (r *ruin) run(f faults) (recover.Report, error) {
	ctx := r.t.Context()
	var store warehouse.Store = r.files
	var j journal.Journal = r.journal
	if f.store != nil {
		store, j = faulty.New(r.files, f.store), broken{r.journal, f.append}
	}
	location, err := warehouse.ParseLocation(ruinURL)
	r.must(err)
	w := recover.Warehouse{Name: ruinName, Location: ruinURL, Store: store}
	roots := warehouse.Roots{{URL: ruinURL, Location: location, Store: store}}
	remains, err := recover.Look(ctx, w, j, nil, uuid.Nil)
	if err != nil {
		return recover.Report{}, err
	}
	started, err := recover.UnderWay(ctx, j.Warehouse(remains.ID))
	if err != nil {
		return recover.Report{}, err
	}
	plan, err := recover.PlanSidecars(ctx, recover.Evidences{Roots: roots, Name: ruinName})
	if err != nil {
		return recover.Report{}, err
	}
	b := recover.Binder{Journal: j, Clock: clock, Build: "test"}
	if started == nil {
		start, err := b.Begin(ctx, w, recover.Beginning{ID: remains.ID, From: plan.From, Parent: remains.Last, Known: remains.Known, Cause: ruinCause})
		if err != nil {
			return recover.Report{}, err
		}
		started = &recover.Run{Start: start}
	}
	if err := b.Identify(ctx, w, started.Start); err != nil {
		return recover.Report{}, err
	}
	return r.execute(j, roots, plan, recover.Target{Start: &started.Start})
}

var ruinCause = journal.Cause{Actor: journal.CLIActor("ana"), Origin: journal.OriginRecover}

func (r *ruin) execute(j journal.Journal, roots warehouse.Roots, plan recover.Plan, t recover.Target) (recover.Report, error) {
	ctx, id := r.t.Context(), r.id("warehouse")
	tables := projections.NewMemory()
	r.must(projections.CatchUp(ctx, journal.Lineage(r.journal, id), 0, tables.Warehouse(id)))
	rec, err := recorder.New(ctx, j, tables, recorder.Options{Clock: clock})
	r.must(err)
	defer rec.Close()
	t.Catalog = catalog.New(catalog.Options{ID: id, Roots: roots, Reader: rec.Reader(id), Recorder: rec, Now: func() time.Time { return clock.Trusted }, MaxDocument: 1 << 20})
	t.Events, t.Cause = j.Warehouse(id), ruinCause
	return recover.Execute(ctx, plan, t)
}

// state is the catalog as the journal has it, and how often each thing happened in it.
func (r *ruin) state() (all []string) {
	ctx, id := r.t.Context(), r.id("warehouse")
	state := projections.NewState(id)
	r.must(projections.CatchUp(ctx, journal.Lineage(r.journal, id), 0, state))
	dump, err := state.Dump(ctx)
	r.must(err)
	for _, n := range dump.Namespaces {
		all = append(all, fmt.Sprintf("namespace %s %v", n.Name, n.Properties))
	}
	for _, o := range dump.Objects {
		all = append(all, fmt.Sprintf("%s %s %s", o.Kind, o.Identifier, o.Pointer.MetadataLocation))
	}
	kinds := map[journal.Kind]int{}
	for e, err := range r.journal.Warehouse(id).Scan(ctx, 0) {
		r.must(err)
		kinds[e.Kind()]++
	}
	return append(all, fmt.Sprint(kinds))
}

func (r *ruin) complete() bool {
	err := recover.CheckComplete(r.t.Context(), ruinName, r.journal.Warehouse(r.id("warehouse")))
	var refused *recover.Refusal
	if err != nil && !errors.As(err, &refused) {
		r.t.Fatal(err)
	}
	return err == nil
}

// Sidecars alone: everything that they name comes back, above all seqs that were known,
// and what cannot come back stops nothing (cases 45, 50 and 66).
func TestExecute(t *testing.T) {
	r := newRuin(t)
	report, err := r.run(faults{})
	r.must(err)
	totals := report.Totals()
	if diff := cmp.Diff(recover.Totals{Recovered: 6, Dropped: 1, Failed: 1, Namespaces: 5}, totals, cmp.FilterPath(func(p cmp.Path) bool {
		return p.String() == "Warnings" || p.String() == "Unregistered"
	}, cmp.Ignore())); diff != "" {
		t.Errorf("totals: %s", diff)
	}
	var first journal.Event
	for e, err := range r.journal.Warehouse(r.id("warehouse")).Scan(t.Context(), 0) {
		r.must(err)
		first = e
		break
	}
	start := first.Body.(journal.IncarnationStarted)
	if first.Seq != 2_000_001 || start.Parent == nil || start.Parent.Seq != 1_234_567 || start.Parent.Incarnation != r.id("incarnation") {
		t.Errorf("begun at %s, after %v", first.Position, start.Parent)
	}
	if !r.complete() {
		t.Error("not complete")
	}
	bound, err := recover.Binder{Journal: r.journal, Tables: projections.NewMemory(), Clock: clock}.Bind(
		t.Context(), recover.Warehouse{Name: ruinName, Location: ruinURL, Store: r.files})
	if err != nil || bound.ID != r.id("warehouse") {
		t.Errorf("a start binds %v, %v", bound.ID, err)
	}
}

// Every call to the store and the journal fails, before or after it took effect, alone
// or with all that come later, as when the process is killed. Another run ends with the
// same catalog, each thing done once.
func TestExecuteIsRunAgain(t *testing.T) {
	want := func() []string {
		r := newRuin(t)
		_, err := r.run(faults{})
		r.must(err)
		return r.state()
	}()
	injected := errors.New("injected")
	for _, applied := range []bool{false, true} {
		for _, killed := range []bool{false, true} {
			for at, done := 0, false; !done; at++ {
				r := newRuin(t)
				calls := &counted{at: at, killed: killed}
				f := faults{
					store: func(faulty.Op, string) faulty.Fault {
						if calls.fails() {
							return faulty.Fault{Err: injected, Applied: applied}
						}
						return faulty.Fault{}
					},
					append: func() faulty.Fault {
						if !calls.fails() {
							return faulty.Fault{}
						}
						if applied {
							return faulty.After(journal.ErrUnknownOutcome)
						}
						return faulty.Before(injected)
					},
				}
				_, err := r.run(f)
				done = calls.n <= at
				if err == nil && !r.complete() {
					t.Fatalf("call %d (applied %v, killed %v): no error, and not complete", at, applied, killed)
				}
				if !r.complete() || err != nil {
					_, err = r.run(faults{})
					r.must(err)
				}
				if diff := cmp.Diff(want, r.state()); diff != "" || !r.complete() {
					t.Fatalf("call %d (applied %v, killed %v): %s", at, applied, killed, diff)
				}
			}
		}
	}
}

// counted fails one call, or it and all after it.
type counted struct {
	at     int
	killed bool

	mu sync.Mutex
	n  int
}

func (c *counted) fails() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n-1 == c.at || c.killed && c.n > c.at
}

// A second run of a complete recovery adds nothing.
func TestAddingWhatIsThereIsNoEvent(t *testing.T) {
	r := newRuin(t)
	_, err := r.run(faults{})
	r.must(err)
	before := r.state()
	location, err := warehouse.ParseLocation(ruinURL)
	r.must(err)
	roots := warehouse.Roots{{URL: ruinURL, Location: location, Store: r.files}}
	plan, err := recover.PlanSidecars(t.Context(), recover.Evidences{Roots: roots, Name: ruinName})
	r.must(err)
	report, err := r.execute(r.journal, roots, plan, recover.Target{})
	r.must(err)
	if totals := report.Totals(); totals.Skipped != 6 || totals.Recovered != 0 {
		t.Errorf("totals: %+v", totals)
	}
	if diff := cmp.Diff(before, r.state()); diff != "" {
		t.Error(diff)
	}
}
