package recover

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"puddle/journal"
)

// Lister is a store of pointer tables that can tell whose they are.
type Lister interface {
	// Held lists the ids of those that anything was applied to.
	Held(ctx context.Context) ([]uuid.UUID, error)
}

// Stray refuses pointer tables of a warehouse that the journal has no history
// of: the journal was lost or replaced, and they may be all that is left of it.
func Stray(ctx context.Context, j journal.Journal, tables Lister) error {
	held, err := tables.Held(ctx) // first: what is born meanwhile is in both
	if err != nil {
		return err
	}
	known, err := j.Warehouses(ctx)
	if err != nil {
		return err
	}
	for _, id := range held {
		if !slices.Contains(known, id) {
			return &Refusal{
				Reason:  fmt.Sprintf("the pointer tables hold warehouse %s, the journal has no history of it: the journal was lost or replaced", id),
				Command: "puddle recover --from metastore",
			}
		}
	}
	return nil
}
