package pointers

import (
	"errors"
	"fmt"

	"puddle/projections"
)

// Errors of the tables, of any store.
var (
	// ErrSchema: they are of another schema version.
	ErrSchema = errors.New("pointer tables have another schema than this build's")
	// ErrCorrupt: they are damaged. Any call can find out.
	ErrCorrupt = fmt.Errorf("pointer tables: %w", projections.ErrDamaged)
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("pointer tables are closed")
)
