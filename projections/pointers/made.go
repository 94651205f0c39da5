package pointers

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"

	"github.com/google/uuid"

	"puddle/projections"
)

// madeBy stands for the file that the event of a step made, 0 for none.
func madeBy(s projections.Step) int64 {
	if location := s.Made(); location != "" {
		return fileKey(location)
	}
	return 0
}

func fileKey(location string) int64 {
	sum := sha256.Sum256([]byte(location))
	return int64(binary.BigEndian.Uint64(sum[:8]) | 1) // never 0
}

// created asks for the number, and reads the location in the step.
func (t *tables) created(object uuid.UUID, location string) (made bool, err error) {
	err = t.each(func(rows *sql.Rows) error {
		var what sql.RawBytes
		if err := rows.Scan(&what); err != nil {
			return err
		}
		step, _, err := unpackStep(what)
		made = made || err == nil && step.Made() == location
		return err
	}, `SELECT what FROM objects CROSS JOIN made CROSS JOIN history
		WHERE warehouse = ? AND uuid = ? AND made.object = objects.id AND file = ? AND history.step = made.step`,
		t.id[:], object[:], fileKey(location))
	return made, err
}
