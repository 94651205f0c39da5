package recover

import (
	"context"
	"errors"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// rewrite writes a metadata file again that is missing, where its document is known
// and is the file. What lies there is never touched.
func (x *execution) rewrite(ctx context.Context, o *PlannedObject) error {
	if x.Documents == nil || o.Pointer == (journal.Pointer{}) || o.Pointer.Encoding != journal.EncodingNone {
		return nil
	}
	root, key, err := x.Catalog.Roots.Resolve(o.MetadataLocation)
	if err != nil {
		return nil // registering says what is wrong with it
	}
	if _, err = root.Store.Stat(ctx, key); !errors.Is(err, warehouse.ErrNotFound) {
		return nil // there, or registering says why it cannot be seen
	}
	document, err := x.Documents(ctx, o.Pointer)
	if err != nil || journal.Sum(document) != o.Pointer.SHA256 {
		return nil // it is missing, says registering
	}
	// A crash leaves nothing there, or the file.
	if err := root.Store.Create(ctx, key, document); err != nil && !errors.Is(err, warehouse.ErrExists) {
		return err
	}
	o.Warnings = append(o.Warnings, "the metadata file was missing and is written again")
	return nil
}
