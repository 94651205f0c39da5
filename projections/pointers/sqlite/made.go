package sqlite

import (
	"database/sql"

	"github.com/google/uuid"

	"puddle/projections/pointers"
)

// created asks for the number, and reads the location in the step.
func (t *tables) created(object uuid.UUID, location string) (made bool, err error) {
	err = t.each(func(rows *sql.Rows) error {
		var what sql.RawBytes
		if err := rows.Scan(&what); err != nil {
			return err
		}
		step, _, err := pointers.UnpackStep(what)
		made = made || err == nil && step.Made() == location
		return err
	}, `SELECT what FROM objects CROSS JOIN made CROSS JOIN history
		WHERE warehouse = ? AND uuid = ? AND made.object = objects.id AND file = ? AND history.step = made.step`,
		t.id[:], object[:], pointers.FileKey(location))
	return made, err
}
