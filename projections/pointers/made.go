package pointers

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/google/uuid"

	"puddle/projections"
)

// made is what the column made holds of a step: a number that stands for the
// location of the metadata file that its event made, 0 for none. It is part of the
// key of history, so that looking for a location reads the key alone.
func made(s projections.Step) int64 {
	if location := s.Made(); location != "" {
		return madeKey(location)
	}
	return 0
}

func madeKey(location string) int64 {
	sum := sha256.Sum256([]byte(location))
	return int64(binary.BigEndian.Uint64(sum[:8]) | 1) // never 0
}

// created walks the object's steps from the newest back: what is asked for is
// mostly near.
func (t *tables) created(object uuid.UUID, location string) (bool, error) {
	var one int
	return t.row(`SELECT 1 FROM history
		WHERE warehouse = ? AND uuid = ? AND made = ? AND to_metadata_location = ? ORDER BY seq DESC, move DESC LIMIT 1`,
		t.id[:], object[:], madeKey(location), location).find(&one)
}
