package main

import (
	"context"

	"puddle/projections"
)

// keeping is where a recovery finds the journal and the pointer tables, and leaves what it
// makes: what a recovery needs to know of files and databases. All that is put aside stays
// and is found again by the next run.
type keeping interface {
	// absent tells whether nothing was ever kept here. It leaves no trace.
	absent(ctx context.Context) (bool, error)
	// openJournal opens the journal of the node. One that cannot be read is put aside: it
	// is evidence. A dry run leaves no trace, and goes on without one that is not there.
	openJournal(ctx context.Context) error
	// openTables opens the pointer tables of the node. A dry run looks at those that are
	// there, or fills others in memory.
	openTables(ctx context.Context) error
	// withoutDamage puts a journal in the place of the one that is open which has all of
	// it that is whole, every event before the damage; a dry run goes on with a copy.
	withoutDamage(ctx context.Context, why error) error
	// replaceTables puts the pointer tables aside and makes empty ones.
	replaceTables(ctx context.Context, reason error) error
	// aside are the pointer tables that were put aside, the newest first.
	aside(ctx context.Context) ([]putAside, error)
	// asideName is how the place is called where they are.
	asideName() string
}

// putAside are pointer tables that were put aside. What open gives is only read.
type putAside struct {
	name string
	open func() (projections.Store, error)
}
