package projections

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// Purge is the removal of a dropped table's files, asked for by its drop.
type Purge struct {
	Table      uuid.UUID
	Drop       uuid.UUID          // id of the event
	Seq        journal.Seq        // of the drop
	At         time.Time          // of the drop
	Identifier journal.Identifier // the name it had
	Pointer    journal.Pointer    // where it was last
	Location   string
	Places     []journal.Place // what it owned when it was dropped, ascending by path
	Done       bool            // table-purged was recorded
}

// Purges answers what drops asked for. A purge is cancelled, as if it had never
// been asked for, when the table comes back (undropped or registered) or another
// incarnation starts.
type Purges interface {
	// Purges lists the pending purges, oldest drop first: those after a seq, at
	// most limit; 0 means all.
	Purges(ctx context.Context, after journal.Seq, limit int) ([]Purge, error)
	// Purge is the last purge of a table that was not cancelled; pending or done.
	Purge(ctx context.Context, table uuid.UUID) (Purge, bool, error)
}

// askPurge keeps what a drop asks for: the removal of what held was and owned.
func askPurge(t Tables, e journal.Event, held HeldObject) error {
	return t.PutPurge(Purge{
		Table: held.UUID, Drop: e.ID, Seq: e.Seq, At: e.At,
		Identifier: held.Identifier, Pointer: held.Pointer, Location: held.Location, Places: held.Places,
	})
}

// closePurge marks the pending purge that a drop asked for as done.
func closePurge(t Tables, b journal.TablePurged) error {
	p, ok, err := t.FindPurge(b.Table)
	if err != nil {
		return err
	}
	if !ok || p.Done || p.Drop != b.Drop {
		return &Conflict{Kind: PurgeMissing, UUID: b.Table, Drop: b.Drop}
	}
	p.Done = true
	return t.PutPurge(p)
}

// PlacePath is a path in the form of journal.Place: with a slash at the end.
func PlacePath(path string) string {
	if strings.HasSuffix(path, "/") {
		return path
	}
	return path + "/"
}
