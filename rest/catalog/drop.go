package catalog

import (
	"context"

	"puddle/journal"
)

// PurgeMode is what a warehouse does with drops that ask for a purge.
type PurgeMode string

// The modes.
const (
	PurgeServer PurgeMode = "server" // the files go after a grace
	PurgeIgnore PurgeMode = "ignore" // the table is dropped as without a purge
	PurgeRefuse PurgeMode = "refuse" // the drop is refused
)

// DropTable ends a table. It reads none of its files, so that a broken table can
// be dropped. With purge the event asks for the removal of its files, unless the
// mode of the warehouse is another. NoSuchTable, Unsupported, Unavailable,
// OutcomeUnknown.
func (c *Catalog) DropTable(ctx context.Context, cause journal.Cause, id journal.Identifier, purge bool) error {
	release, err := c.lock(ctx, named(id))
	if err != nil {
		return err
	}
	defer release()
	return onCurrent(func() error {
		object, err := c.table(ctx, id)
		if err != nil {
			return err
		}
		if purge && c.PurgeMode == PurgeRefuse {
			return refuse(Unsupported, "Cannot purge table %s: this warehouse removes no files, drop it without a purge", id)
		}
		return recorded(journal.Table, c.record(ctx, cause, journal.TableDropped{
			Moves: [1]journal.Move{{Kind: journal.Table, UUID: object.UUID, From: from(object)}},
			Purge: purge && c.PurgeMode != PurgeIgnore,
		}))
	})
}
