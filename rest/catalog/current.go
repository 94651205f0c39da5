package catalog

import (
	"errors"

	"puddle/journal"
	"puddle/projections"
)

// maxAttempts bounds how often a change is tried on a newer pointer. With the
// name locked, only a writer elsewhere can win in between.
const maxAttempts = 20

// onCurrent does what acts on the current pointer of an object, again when another
// writer's pointer landed between the look and the record. Unavailable when that
// goes on: nothing was wrong with the change.
func onCurrent(kind journal.ObjectKind, id journal.Identifier, try func() error) error {
	for range maxAttempts {
		if err := try(); !moved(err) {
			return err
		}
	}
	return refuse(Unavailable, "The change was not made: others changed the %s %s %d times meanwhile", kind, id, maxAttempts)
}

// moved tells whether the recorder found another pointer than the change says.
func moved(err error) bool {
	var conflict *projections.Conflict
	return errors.As(err, &conflict) && conflict.Kind == projections.PointerMoved
}
