package recover

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// WriteMissing looks for the files of the pointers of a plan. Those that are missing are
// written again where their documents are known; a dry run only says so. It warns of each
// of them, and of those that are not there in the end, are of another size, or cannot be
// looked at. In an external root nothing is written. It reads no file, and changes none that is there. A crash leaves some of them
// written. The error is that of ctx, of the documents, or of writing.
func (p *Plan) WriteMissing(ctx context.Context, roots warehouse.Roots, documents func(context.Context, journal.Pointer) ([]byte, error), dryRun bool) error {
	r := rewriting{roots, documents, dryRun}
	next := make(chan *PlannedObject)
	var wait sync.WaitGroup
	var once sync.Once
	var failed error
	for range parallel {
		wait.Go(func() {
			for o := range next {
				if err := r.restore(ctx, p.Warehouse, o); err != nil {
					once.Do(func() { failed = fmt.Errorf("%s: %w", o.MetadataLocation, err) })
				}
			}
		})
	}
	for i := range p.Objects {
		if p.Objects[i].Outcome == Recovered && ctx.Err() == nil {
			next <- &p.Objects[i]
		}
	}
	close(next)
	wait.Wait()
	return errors.Join(ctx.Err(), failed)
}

// restore writes the file of an object again if it is missing, or warns.
func (r rewriting) restore(ctx context.Context, name string, o *PlannedObject) error {
	written, err := r.rewrite(ctx, o)
	if written || err != nil {
		return err
	}
	warning, external := missing(ctx, r.roots, o.Pointer)
	switch {
	case warning == "":
	case external:
		o.Warnings = append(o.Warnings, warning)
	default:
		o.Warnings = append(o.Warnings, warning+"; next: puddle verify "+name+" --repair")
	}
	return nil
}

// missing says what is wrong with the file of a pointer, as far as its size tells, and
// whether it is in an external root.
func missing(ctx context.Context, roots warehouse.Roots, at journal.Pointer) (warning string, external bool) {
	root, key, err := roots.Resolve(at.MetadataLocation)
	if err != nil {
		return "its metadata file cannot be looked for: " + oneLine(err), false
	}
	info, err := root.Store.Stat(ctx, key)
	switch external = root.External != ""; {
	case errors.Is(err, warehouse.ErrNotFound) && external:
		return "its metadata file is missing in the external warehouse " + root.External + ", where nothing is written", true
	case errors.Is(err, warehouse.ErrNotFound):
		return "its metadata file is missing, and no copy of it is known", false
	case err != nil && external:
		return "its metadata file is not looked at: the external warehouse " + root.External + " cannot be read: " + oneLine(err), true
	case err != nil:
		return "its metadata file cannot be looked for: " + oneLine(err), false
	case info.Size != at.Size:
		return fmt.Sprintf("its metadata file has %d bytes, %d were committed", info.Size, at.Size), external
	}
	return "", external
}
