package catalog

import (
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
