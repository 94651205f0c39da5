package recorder

import (
	"context"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// Database is a journal and the pointer tables that follow it, in one database that
// other processes write to as well. Safe for concurrent use.
type Database interface {
	// Begin starts a turn: nobody else writes to the warehouse until it ends. It
	// waits for the turns of others, but not for ever. What drafts and requests name
	// is read ahead; nothing is decided by them, and the turn answers for what was
	// not foreseen as well. With an error there is no turn, and nothing was written;
	// journal.ErrClosed: there will be none any more.
	Begin(ctx context.Context, warehouse uuid.UUID, drafts []journal.Draft, requests []journal.Request) (Turn, error)
	// Warehouses lists the ids of those that were born here.
	Warehouses(ctx context.Context) ([]uuid.UUID, error)
	// Warehouse reads one: every call sees what was committed before it began, in
	// whichever process.
	Warehouse(id uuid.UUID) projections.Warehouse
}

// Turn is the time in which one process alone writes to a warehouse. It is for one
// goroutine, and for a short time. After an error that is no *projections.Conflict it
// can only be rolled back.
type Turn interface {
	// Chain is the end of the history when the turn began; false: the warehouse is
	// not born.
	Chain() (journal.Chain, bool)
	// Now is the database's clock, read once in the turn.
	Now() journal.Instant
	// Find looks an event up by its id, in the current incarnation.
	Find(ctx context.Context, id uuid.UUID) (journal.Event, bool, error)
	// Answered tells whether the key of a request is bound at a moment. Of the
	// request, actor and key count.
	Answered(ctx context.Context, r journal.Request, at time.Time) (bool, error)
	// PurgesOf are the last purges of tables that were not cancelled, pending or done, by
	// table; PlaceHolder is as in projections.Reader. Both are as the turn found them, and
	// may be with what was applied in it; neither waits for another connection.
	PurgesOf(ctx context.Context, tables ...uuid.UUID) (map[uuid.UUID]projections.Purge, error)
	PlaceHolder(ctx context.Context, path string, except uuid.UUID) (uuid.UUID, bool, error)
	// Apply takes the next event by the rules of projections.Projection: after a
	// *projections.Conflict the turn holds nothing of this event and goes on.
	Apply(ctx context.Context, e journal.Event) error
	// Commit makes entries, whose events were applied, and answers durable and
	// visible, all or none, and ends the turn. With neither it makes sure of what was
	// found: that it is as durable as what is committed. Answers bind their keys at Now, or at
	// the newest event's time where that is later. The errors are those of
	// journal.Writer; one that has a method Deterministic which answers true says, as
	// those that are named there do, that the same would fail again.
	Commit(ctx context.Context, entries []journal.Entry, answers []journal.Answer) error
	// Rollback ends the turn and leaves nothing of it. After Commit it does nothing.
	Rollback()
}
