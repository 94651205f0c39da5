package archive

import (
	"errors"
	"fmt"

	"github.com/google/uuid"

	"puddle/journal"
)

// Of reading.
var (
	// ErrNone: the warehouse has no archive.
	ErrNone = errors.New("archive: there is none in the warehouse")

	// ErrNewer: a newer build wrote the object, with another meaning.
	ErrNewer = errors.New("archive: object of a newer build")
)

// ErrPast: what is damaged is of an incarnation that is not the current one any more. It
// is wrapped with what is wrong. Told to Options.Failed, the rest of that incarnation is not
// archived by this follower, and all others are. Told by [Audit], the journal has no such
// events, and nothing can mend it.
var ErrPast = errors.New("archive: of a past that was left")

// Of sealing. They end a follower: nothing that it could do makes them go away.
var (
	// ErrSecondWriter: at a seq of this journal the archive holds an event of
	// another history. Two catalogs write one warehouse, or did.
	ErrSecondWriter = errors.New("archive: a second writer has archived another history of this warehouse")

	// ErrAhead: the archive holds events that this journal lacks. It was put back
	// from an older copy, or a second writer goes on with its history.
	ErrAhead = errors.New("archive: it holds events that the journal does not have")

	// ErrClosed: the follower was closed before it had sealed what is waited for.
	ErrClosed = errors.New("archive: its follower is closed")
)

// Final tells whether an error ends a follower.
func Final(err error) bool {
	return errors.Is(err, ErrSecondWriter) || errors.Is(err, ErrAhead)
}

// Damage is an object of an archive that is not as it was sealed. It is also the
// *journal.Damage that it holds.
type Damage struct {
	Object string // its key in the warehouse
	journal.Damage
}

// Error names the object, and the event where that is known.
func (d *Damage) Error() string {
	at := ""
	if d.Seq != 0 {
		at = fmt.Sprintf(" at event %s:%d", d.Incarnation, d.Seq)
	}
	return fmt.Sprintf("archive is damaged: %s%s: %s", d.Object, at, d.Reason)
}

// Unwrap is the place in the history.
func (d *Damage) Unwrap() error { return &d.Damage }

func damaged(key string, warehouse, incarnation uuid.UUID, seq journal.Seq, format string, args ...any) *Damage {
	return &Damage{key, journal.Damage{
		Warehouse: warehouse, Incarnation: incarnation, Seq: seq, Reason: fmt.Errorf(format, args...).Error(),
	}}
}
