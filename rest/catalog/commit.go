package catalog

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/metadata"
)

// Change is what a client wants done to one table: requirements on the current
// version, then updates in order.
type Change struct {
	Identifier   journal.Identifier
	Requirements []metadata.Requirement
	Updates      []metadata.Update
}

// CommitTables applies changes and moves the pointers in one event, all or none;
// this build takes one change. A change without effect answers the table as it
// is, without file or event (case 128). CommitFailed when a requirement does not
// hold: at once, also when it held for a base that lost a race. NoSuchTable,
// NoSuchNamespace, FileMissing, Invalid, Unsupported; AlreadyExists for places;
// Unavailable, OutcomeUnknown.
func (c *Catalog) CommitTables(ctx context.Context, cause journal.Cause, changes ...Change) ([]Table, error) {
	if len(changes) != 1 {
		return nil, refuse(Unsupported, "Cannot commit %d tables at once: multi-table commits are not in this build", len(changes))
	}
	table, err := c.commitTable(ctx, cause, changes[0])
	if err != nil {
		return nil, err
	}
	return []Table{table}, nil
}

func (c *Catalog) commitTable(ctx context.Context, cause journal.Cause, change Change) (Table, error) {
	creates, err := metadata.AssertsCreate(change.Requirements)
	if err != nil {
		return Table{}, worded(err)
	}
	defer c.lockObjects(change.Identifier)()
	if creates {
		return c.commitCreate(ctx, cause, change)
	}
	var table Table
	err = onCurrent(journal.Table, change.Identifier, func() (err error) {
		table, err = c.attempt(ctx, cause, change)
		return err
	})
	return table, err
}

// commitCreate makes the table of a staged create's commit.
func (c *Catalog) commitCreate(ctx context.Context, cause journal.Cause, change Change) (Table, error) {
	id := change.Identifier
	if _, err := c.roomFor(ctx, journal.Table, id); err != nil {
		return Table{}, lostCreate(err)
	}
	doc, err := c.apply(nil, change)
	if err != nil {
		return Table{}, err
	}
	table, err := c.born(ctx, cause, id, doc, actions(change.Updates))
	return table, lostCreate(err)
}

// lostCreate words the refusal of a create by commit over a table as clients
// expect it of a requirement (rck §1.4); over a view it stays what it is.
func lostCreate(err error) error {
	var refused *Error
	if errors.As(err, &refused) && refused.Code == AlreadyExists && refused.taken == journal.Table {
		return because(CommitFailed, err, "Requirement failed: table already exists")
	}
	return err
}

// attempt applies a change to the version that is current now. When another's
// landed first, its file is gone again.
func (c *Catalog) attempt(ctx context.Context, cause journal.Cause, change Change) (Table, error) {
	object, err := c.table(ctx, change.Identifier)
	if err != nil {
		return Table{}, err
	}
	base, err := c.parse(ctx, object.Pointer)
	if err != nil {
		return Table{}, err
	}
	doc, err := c.apply(base, change)
	if err != nil {
		return Table{}, err
	}
	if doc == base {
		return tableAt(object.Pointer, base.Bytes()), nil
	}
	places, err := c.admit(doc)
	if err != nil {
		return Table{}, err
	}
	staged, err := c.stage(ctx, doc)
	if err != nil {
		return Table{}, err
	}
	err = c.record(ctx, cause, journal.TablesCommitted{Moves: []journal.Move{{
		Kind: journal.Table, UUID: object.UUID, From: from(object), SnapshotID: snapshotOf(doc), Updates: actions(change.Updates),
		To: &journal.To{Identifier: object.Identifier, Pointer: staged.pointer, Location: doc.Location(), Places: places},
	}}}, c.keep(staged)...)
	if err != nil {
		c.unstage(ctx, err, staged)
		return Table{}, recorded(journal.Table, err)
	}
	return tableAt(staged.pointer, doc.Bytes()), nil
}

// apply computes the next version under a fresh file name.
func (c *Catalog) apply(base *metadata.Document, change Change) (*metadata.Document, error) {
	fresh, err := uuid.NewRandom()
	if err != nil {
		return nil, because(Unavailable, err, "The change was not made: no randomness")
	}
	return decoded(metadata.Commit(base, change.Requirements, change.Updates, c.Now(), fresh))
}

func actions[U interface{ Action() string }](updates []U) []string {
	if len(updates) == 0 {
		return nil
	}
	names := make([]string, len(updates))
	for i, u := range updates {
		names[i] = u.Action()
	}
	return names
}
