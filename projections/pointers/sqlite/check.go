package sqlite

import (
	"context"
	"fmt"

	"puddle/projections/pointers"
)

// Check reads the whole file: pointers.ErrCorrupt where pages do not fit together. It takes
// about a second for a GiB that the system has in memory.
func (db *DB) Check(ctx context.Context) error { return db.read(ctx, check) }

func check(s *session) error {
	var found string
	if err := s.row("PRAGMA quick_check(1)").scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("%w: %s", pointers.ErrCorrupt, found)
	}
	return nil
}
