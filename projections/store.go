package projections

import (
	"context"

	"github.com/google/uuid"

	"puddle/journal"
)

// Warehouse is the part of a Store that one warehouse has.
type Warehouse interface {
	Projection
	Reader
	Dumper
}

// Store holds the pointer tables of all warehouses that share one database.
type Store interface {
	// Warehouse answers for one; one that was never applied to is empty.
	Warehouse(id uuid.UUID) Warehouse
	// Begin starts the recorder's transaction. It waits while another one, or
	// an Apply or Reset of a Warehouse, is under way.
	Begin(ctx context.Context) (Tx, error)
	// Close gives the files back. Idempotent.
	Close() error
}

// Tx is a transaction over all warehouses of a Store. Readers see nothing of it
// before Commit.
type Tx interface {
	// Apply takes one event by the rules of Projection.Apply. After a
	// *Conflict the transaction holds nothing of this event and goes on; any
	// other error rolls it back, and what follows is ErrTxOver.
	Apply(ctx context.Context, event journal.Event) error
	// Commit makes the applied events visible to all later reads. After an
	// error it is over, and not known whether it did: the cursor tells.
	Commit() error
	// Rollback forgets them. A no-op when the transaction is over.
	Rollback() error
}
