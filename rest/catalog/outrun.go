package catalog

import (
	"context"
	"errors"

	"puddle/journal"
	"puddle/rest/metadata"
)

// outrun answers the CommitFailed that changes get in any case because a
// requirement does not hold for what is current now, and nil in all others. Who has
// to wait for the name of a table asks it, from memory: a client whose version was
// overtaken hears so at once, and not after all who came before it (case 122).
//
// It is right although the name is not held (ADR 32). What the Reader tells is what
// was recorded last, at a moment between the request and its answer; at that moment
// the requirement was false. Nothing but a refusal is decided here.
func (c *Catalog) outrun(ctx context.Context, changes []Change) error {
	_, err := inTables(changes, func(change Change) (none struct{}, err error) { return none, c.stillHolds(ctx, change) })
	if refused := (*Error)(nil); errors.As(err, &refused) && refused.Code == CommitFailed {
		return err
	}
	return nil
}

// stillHolds checks the requirements of a change against the current version, if
// that is in memory.
func (c *Catalog) stillHolds(ctx context.Context, change Change) error {
	creates, err := metadata.AssertsCreate(change.Requirements)
	if err != nil {
		return worded(err)
	}
	if creates {
		_, err := c.roomFor(ctx, journal.Table, change.Identifier)
		return lostCreate(err)
	}
	object, err := c.table(ctx, change.Identifier)
	if err != nil {
		return err
	}
	known, ok := c.documents.find(object.Pointer.SHA256)
	if !ok {
		return nil
	}
	base, err := known.parse(object)
	if err == nil {
		_, err = decoded(base, base.Check(change.Requirements, change.Updates))
	}
	return err
}
