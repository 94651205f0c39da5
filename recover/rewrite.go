package recover

import (
	"context"
	"errors"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// rewriting is where missing files are written again, and what of.
type rewriting struct {
	roots     warehouse.Roots                                        // external ones as well, where nothing is written
	documents func(context.Context, journal.Pointer) ([]byte, error) // nil: nothing is known
	dryRun    bool
}

// rewrite writes a metadata file again that is missing, where its document is known
// and is the file; a dry run only says so. What lies there is never touched.
func (r rewriting) rewrite(ctx context.Context, o *PlannedObject) (written bool, err error) {
	if r.documents == nil || o.Pointer == (journal.Pointer{}) {
		return false, nil
	}
	root, key, err := r.roots.Resolve(o.MetadataLocation)
	if err != nil || root.External != "" {
		return false, nil // registering says what is wrong with it
	}
	if _, err := root.Store.Stat(ctx, key); !errors.Is(err, warehouse.ErrNotFound) {
		return false, nil // there, or registering says why it cannot be seen
	}
	file, err := r.documents(ctx, o.Pointer)
	if err != nil || journal.Sum(file) != o.Pointer.SHA256 {
		return false, nil // it is missing, says registering
	}
	if r.dryRun {
		o.Warnings = append(o.Warnings, "its metadata file is missing and would be written again")
		return true, nil
	}
	// A crash leaves nothing there, or the file.
	if err := root.Store.Create(ctx, key, file); err != nil && !errors.Is(err, warehouse.ErrExists) {
		return false, err
	}
	o.Warnings = append(o.Warnings, "its metadata file was missing and is written again")
	return true, nil
}
