package recover

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// workers is how many objects are registered at once: their events share syncs of
// the journal.
const workers = 128

// ErrIncomplete: something could not be looked at for a passing reason, so that the
// recovery is not complete. Another run goes on.
var ErrIncomplete = errors.New("the recovery is not complete")

// Target is the catalog that a plan is executed on, while nobody else uses it.
type Target struct {
	Catalog *catalog.Catalog
	// Start is the event that began the incarnation being filled. Nil: the plan adds
	// to a catalog that is there, and every event is a new one.
	Start *journal.Event
	// Events is the current incarnation, where an earlier run may have recorded.
	Events journal.Reader
	Cause  journal.Cause
	// Documents finds the document of a pointer, to write a metadata file again that
	// is missing. Nil: nothing is known.
	Documents func(context.Context, journal.Pointer) ([]byte, error)
	// Earlier are the pointers that an object had before, the newest first: what it
	// goes back to where its file is gone and no copy of it is whole. Nil: nothing.
	Earlier  func(ctx context.Context, object uuid.UUID) iter.Seq2[Earlier, error]
	DryRun   bool               // the catalog is a stand-in, and no file is written
	Progress func(done, of int) // may be nil; from several goroutines
}

// Execute makes a plan true, as far as it can: namespaces level by level, then the
// objects, many at once and each through the path that registers. What fails does
// not stop the others. What is there already is skipped, so that after a crash, at
// any step, another run ends with the same catalog.
//
// At the end it records that the recovery is complete, unless something failed for a
// passing reason: then it is ErrIncomplete. A plan with something Unseen is not begun
// with: that is ErrIncomplete too. The report is of what was done, whatever the error
// is.
func Execute(ctx context.Context, p Plan, t Target) (Report, error) {
	x := &execution{Target: t, report: ReportOf(p), total: len(p.Namespaces) + len(p.Objects)}
	if p.Unseen != nil {
		return x.report, fmt.Errorf("%w: nothing is done by halves: %w", ErrIncomplete, p.Unseen)
	}
	// Parents first. A crash leaves some namespaces of a level.
	for _, level := range x.levels() {
		x.each(len(level), func(i int) { x.namespace(ctx, level[i]) })
	}
	// Namespaces are there. A crash leaves some of the objects.
	x.each(len(x.report.Objects), func(i int) { x.object(ctx, &x.report.Objects[i]) })
	if x.passing != nil {
		return x.report, fmt.Errorf("%w: %w", ErrIncomplete, x.passing)
	}
	// All is there. A crash leaves a recovery whose next run finds nothing to do.
	return x.report, x.complete(ctx)
}

// execution is one run.
type execution struct {
	Target
	report Report
	total  int
	done   atomic.Int64

	mu      sync.Mutex
	passing error // guarded by mu: the first reason that may pass
}

// levels are the namespaces by their depth.
func (x *execution) levels() (all [][]*NamespaceReport) {
	for i := range x.report.Namespaces {
		n := &x.report.Namespaces[i]
		for len(all) < len(n.Name) {
			all = append(all, nil)
		}
		if depth := len(n.Name); depth > 0 {
			all[depth-1] = append(all[depth-1], n)
		}
	}
	return all
}

// each does n things, many at once.
func (x *execution) each(n int, do func(i int)) {
	var group sync.WaitGroup
	var next atomic.Int64
	for range min(n, workers) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
				if done := int(x.done.Add(1)); x.Progress != nil {
					x.Progress(done, x.total)
				}
			}
		})
	}
	group.Wait()
}

// event is the id of an event, and whether an earlier run has recorded it.
func (x *execution) event(ctx context.Context, what string) (id uuid.UUID, recorded bool, err error) {
	if x.Start == nil {
		id, err = uuid.NewV7()
		return id, false, err
	}
	id = EventID(*x.Start, what)
	_, recorded, err = x.Events.Find(ctx, id)
	return id, recorded, err
}

// namespace makes one that is not there.
func (x *execution) namespace(ctx context.Context, n *NamespaceReport) {
	if err := x.makeNamespace(ctx, n); err != nil {
		n.Outcome, n.Err = Failed, x.failed(err)
	}
}

func (x *execution) makeNamespace(ctx context.Context, n *NamespaceReport) error {
	event, recorded, err := x.event(ctx, namespaceEvent(n.Name))
	if err != nil || recorded {
		return err
	}
	var refused *catalog.Error
	switch _, err := x.Catalog.Namespace(ctx, n.Name); {
	case err == nil:
		n.Outcome = Skipped
		return nil
	case !errors.As(err, &refused) || refused.Code != catalog.NoSuchNamespace:
		return err
	}
	if n.ID == uuid.Nil {
		if n.ID, err = uuid.NewRandom(); err != nil {
			return err
		}
	}
	return x.Catalog.RecoverNamespace(ctx, x.Cause, event, projections.Namespace{ID: n.ID, Name: n.Name, Properties: n.Properties})
}

// object registers one that is to be recovered.
func (x *execution) object(ctx context.Context, o *PlannedObject) {
	if o.Outcome != Recovered {
		return
	}
	if err := x.register(ctx, o); err != nil {
		o.Outcome, o.Err = Failed, x.failed(err)
	}
}

func (x *execution) register(ctx context.Context, o *PlannedObject) error {
	event, recorded, err := x.event(ctx, objectEvent(*o))
	if err != nil {
		return err
	}
	if recorded {
		return x.wentBack(ctx, o)
	}
	if o.Outcome, err = x.standing(ctx, o); err != nil || o.Outcome != Recovered {
		return err
	}
	if err = x.place(ctx, event, o); absent(err) && x.Earlier != nil {
		return x.goBack(ctx, event, o, err)
	}
	return err
}

// place registers an object at its pointer.
func (x *execution) place(ctx context.Context, event uuid.UUID, o *PlannedObject) error {
	files := rewriting{x.Catalog.Roots, x.Documents, x.DryRun}
	if written, err := files.rewrite(ctx, o); err != nil || written && x.DryRun {
		return err
	}
	known, err := x.externalFile(ctx, o)
	if err != nil {
		return err
	}
	return x.Catalog.RecoverObject(ctx, x.Cause, catalog.Recovered{
		Event: event, Kind: o.Kind, UUID: o.UUID, Identifier: o.Identifier, MetadataLocation: o.MetadataLocation, Pointer: o.Pointer, File: known,
	})
}

// externalFile is the file of an object in an external warehouse, of which the catalog knows the
// document: the object is recovered whether that warehouse can be read or not. Nil: it is
// to be read.
func (x *execution) externalFile(ctx context.Context, o *PlannedObject) ([]byte, error) {
	if x.Documents == nil || o.Pointer == (journal.Pointer{}) || x.Catalog.External(o.MetadataLocation) == "" {
		return nil, nil
	}
	file, err := x.Documents(ctx, o.Pointer)
	if err != nil || journal.Sum(file) != o.Pointer.SHA256 {
		return nil, ctx.Err()
	}
	if warning, _ := missing(ctx, x.Catalog.Externals, o.Pointer); warning != "" {
		o.Warnings = append(o.Warnings, warning)
	}
	return file, nil
}

// standing is what the catalog has of an object already: Skipped where its name or
// itself is there, Dropped where the catalog that is added to has dropped it.
func (x *execution) standing(ctx context.Context, o *PlannedObject) (ObjectOutcome, error) {
	held, err := x.Catalog.Reader.Object(ctx, o.Identifier)
	if err == nil {
		if held.UUID != o.UUID {
			o.Warnings = append(o.Warnings, fmt.Sprintf("the name is taken by the %s %s", held.Kind, held.UUID))
		}
		return Skipped, nil
	}
	if !errors.Is(err, projections.ErrNoObject) {
		return Failed, err
	}
	last, known, err := x.Catalog.Reader.LastStep(ctx, o.UUID)
	if err != nil || !known || x.Start != nil {
		return Recovered, err
	}
	if last.Move.To == nil {
		o.Warnings = append(o.Warnings, fmt.Sprintf("the journal has dropped it at %s", last.Seq))
		return Dropped, nil
	}
	held, err = x.Catalog.Reader.Object(ctx, last.Move.To.Identifier)
	if err == nil && held.UUID == o.UUID {
		o.Warnings = append(o.Warnings, "it is there as "+held.Identifier.Quoted())
		return Skipped, nil
	}
	if errors.Is(err, projections.ErrNoObject) {
		err = nil
	}
	return Recovered, err
}

// failed notes an error that may pass.
func (x *execution) failed(err error) error {
	var refused *catalog.Error
	if errors.As(err, &refused) {
		switch refused.Code {
		case catalog.Unavailable, catalog.Full, catalog.OutcomeUnknown:
		default:
			return err
		}
		if refused.Err != nil {
			err = fmt.Errorf("%s: %w", refused.Message, refused.Err)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.passing == nil {
		x.passing = err
	}
	return err
}
