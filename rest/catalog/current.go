package catalog

import (
	"cmp"
	"context"
	"errors"

	"puddle/journal"
	"puddle/projections"
)

// maxAttempts bounds how often a change is tried on a newer pointer. With the
// name locked, only a writer elsewhere can win in between.
const maxAttempts = 20

// onCurrent does what acts on current pointers, again when another writer's
// pointer landed between the look and the record. Unavailable when that goes on:
// nothing was wrong with the change.
func onCurrent(try func() error) error {
	var err error
	for range maxAttempts {
		if err = try(); !moved(err) {
			return err
		}
	}
	return because(Unavailable, err, "The change was not made: others changed %s %d times meanwhile", nameOf(err), maxAttempts)
}

// readCurrent reads what a name stands for, again when the file is gone because
// the name stands for another version by now, or for nothing: old files may be
// removed as soon as they are not current (case 127).
func readCurrent[T any](ctx context.Context, c *Catalog, kind journal.ObjectKind, id journal.Identifier, read func(context.Context, projections.Object) (T, error)) (T, error) {
	var none T
	var gone error
	var was journal.Pointer
	ctx, leave := c.inTurn(ctx)
	defer leave()
	for {
		object, err := c.object(ctx, kind, id)
		if err != nil || gone != nil && object.Pointer == was {
			return none, cmp.Or(err, gone)
		}
		version, err := read(ctx, object)
		if err == nil {
			return version, nil
		}
		if refused := (*Error)(nil); !errors.As(err, &refused) || refused.Code != FileMissing {
			return version, err
		}
		was, gone = object.Pointer, err
	}
}

// moved tells whether the recorder found another pointer than the change says.
func moved(err error) bool {
	var conflict *projections.Conflict
	return errors.As(err, &conflict) && conflict.Kind == projections.PointerMoved
}

// nameOf is the object whose pointer moved.
func nameOf(err error) journal.Identifier {
	var conflict *projections.Conflict
	errors.As(err, &conflict)
	return conflict.Identifier
}
