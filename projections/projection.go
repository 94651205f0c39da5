package projections

import (
	"context"
	"errors"

	"puddle/journal"
)

// Errors of applying events.
var (
	// ErrGap: the event is not the next after the cursor.
	ErrGap = errors.New("event does not follow the projection's cursor")
	// ErrDiverged: the event's facts contradict what the projection holds, or
	// its cursor is of another history: it was not built from this journal.
	ErrDiverged = errors.New("projection does not hold what the journal says")
	// ErrDamaged: what the projection is stored in is damaged. Nothing cures it
	// but building it anew.
	ErrDamaged = errors.New("projection is damaged")
	// ErrAhead: the cursor stands after the journal's head. The journal was
	// rolled back or replaced.
	ErrAhead = errors.New("projection is ahead of its journal")
)

// Projection is what is true of one warehouse, derived from its events and
// rebuilt when lost. Safe for concurrent use.
type Projection interface {
	// Name says which projection this is, for messages.
	Name() string
	// Cursor is the position of the last event applied; zero when none was.
	Cursor(ctx context.Context) (journal.Position, error)
	// Apply takes events in the journal's order: all or none of them, and the
	// cursor moves with them. Events at or below the cursor are skipped, so
	// that applying is idempotent; after those the first must follow the
	// cursor (else ErrGap) and link to it (else ErrDiverged). An event that
	// contradicts what is held is a *Conflict, which a replay turns into
	// ErrDiverged.
	Apply(ctx context.Context, events ...journal.Event) error
	// Reset forgets everything of the warehouse, the cursor included.
	Reset(ctx context.Context) error
}
