package catalog

import (
	"context"

	"puddle/journal"
)

// UnregisterTable ends a table here and leaves its files to whoever takes it over;
// it answers the last version (case 48). Later commits find no table. A table
// whose file is gone has no last version to hand over: FileMissing, and nothing is
// changed; DropTable ends it. NoSuchTable, Unavailable, OutcomeUnknown.
func (c *Catalog) UnregisterTable(ctx context.Context, cause journal.Cause, id journal.Identifier) (Table, error) {
	release, err := c.lock(ctx, named(id))
	if err != nil {
		return Table{}, err
	}
	defer release()
	var table Table
	err = onCurrent(func() error {
		object, err := c.table(ctx, id)
		if err != nil {
			return err
		}
		if table, err = c.load(ctx, object); err != nil {
			return err
		}
		return recorded(journal.Table, c.record(ctx, cause, journal.TableUnregistered{Moves: [1]journal.Move{{
			Kind: journal.Table, UUID: object.UUID, From: from(object),
		}}}))
	})
	if err != nil {
		return Table{}, err
	}
	return table, nil
}
