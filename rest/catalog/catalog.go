package catalog

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
)

// Recorder makes a decided draft an event.
type Recorder interface {
	// Record answers nil when the event is durable and every later read shows
	// it; *projections.Conflict when it was refused and left no trace;
	// journal.ErrUnknownOutcome when it may be either; any other error when it
	// was surely not recorded. ctx counts until the draft is taken.
	Record(ctx context.Context, d journal.Draft) (journal.Event, error)
}

// Options is what a Catalog stands on.
type Options struct {
	ID          uuid.UUID          // of the warehouse
	Roots       warehouse.Roots    // where its objects may be; the warehouse's own first
	Externals   warehouse.Roots    // external warehouses, which are only read: what is registered may lie there
	Reader      projections.Reader // what is true now
	Recorder    Recorder
	Journal     journal.Reader   // keeps documents of files that are gone; optional
	Now         func() time.Time // stamps documents, and ends the times that drops are kept and files are trusted; default time.Now
	MaxDocument int              // compressed bytes of a document kept in the journal
	PurgeMode   PurgeMode        // what a drop with a purge does; default PurgeServer
	PurgeGrace  time.Duration    // from such a drop until its files go; until then it can be undone
	DropKeep    time.Duration    // how long a dropped table can be undropped by its name

	// Unconfirmed is told of the moves of a change of which nobody knows whether it
	// was made, before the client is: their files are not to be taken for history.
	// Optional.
	Unconfirmed func(ctx context.Context, cause journal.Cause, event uuid.UUID, moves []journal.Move)

	// Left is told of a file that could not be removed: it was written for a change which
	// was refused, so that no event names it and verify lists it, or has fallen out of
	// the log of its table, which wants such files removed. Optional.
	Left func(ctx context.Context, location string, err error)

	// Named is the metadata file of a table from which its history would be found
	// again if the catalog were lost now; empty when there is none. It is never one
	// from before the last answer. Optional: without it, none is needed.
	Named func(ctx context.Context, table uuid.UUID) (string, error)
}

// Catalog decides the commands of one warehouse. Safe for concurrent use.
type Catalog struct {
	Options
	names     locks
	guard     guard
	documents *documents
	bases     bases
	spared    spared
	sweeps    *sweeps
	bookings  *bookings
	turns     turns
	past      bool               // AsOf made it
	present   projections.Reader // of what is true now, if so
}

// New makes a catalog.
func New(o Options) *Catalog {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Catalog{Options: o, documents: &documents{}, bookings: &bookings{}, sweeps: newSweeps(), turns: newTurns()}
}

// record appends an event. From here on a client that hangs up changes nothing.
// Its time limit holds until the recorder has taken the draft: what nobody waits
// for any more is not done an hour later, when a full disk has space again.
func (c *Catalog) record(ctx context.Context, cause journal.Cause, body journal.Body, documents ...journal.Document) error {
	id, err := uuid.NewV7()
	if err != nil {
		return because(Unavailable, err, "The change was not made: no randomness")
	}
	return c.recordAs(ctx, id, cause, body, documents...)
}

// recordAs is record of an event whose id is given.
func (c *Catalog) recordAs(ctx context.Context, id uuid.UUID, cause journal.Cause, body journal.Body, documents ...journal.Document) error {
	deadline, limited := ctx.Deadline()
	ctx = context.WithoutCancel(ctx)
	if limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline)
		defer cancel()
	}
	e, err := c.Recorder.Record(ctx, journal.Draft{
		Warehouse: c.ID, ID: id, Cause: cause, Body: body, Documents: documents, Request: requestOf(ctx),
	})
	switch {
	case err == nil:
		c.bases.note(e, documents)
		c.bookings.end(e.Moves()...)
	case c.Unconfirmed != nil && errors.Is(err, journal.ErrUnknownOutcome):
		if moves := (journal.Event{Body: body}).Moves(); len(moves) > 0 {
			c.Unconfirmed(context.WithoutCancel(ctx), cause, id, moves)
		}
	}
	return err
}
