package recorder

import (
	"errors"
	"fmt"

	"puddle/journal"
)

// When a draft is not recorded. "Surely not done" is said of this call: of a draft
// that was tried before it tells nothing about that try. Beside these Record answers
// *projections.Conflict, journal.ErrKeyTaken, journal.ErrTooLarge, journal.ErrRecord,
// journal.ErrRequest, journal.ErrNoBase and journal.ErrNoWarehouse for drafts that are
// refused, whatever else a Database refuses for good, and journal.ErrUnknownOutcome.
var (
	// ErrNotRecorded: surely not done, for a reason that may pass (it is
	// wrapped): the pointer tables or the journal could not be written, or the
	// caller gave up before the draft was taken. The same draft may be tried
	// again.
	ErrNotRecorded = errors.New("event was not recorded")
	// ErrStopped: surely not done, and nothing will be until the journal is
	// opened again: read only until restart. The message holds the reason.
	ErrStopped = errors.New("recorder has stopped")
)

// ErrBehind: the pointer tables lack events that the journal has.
var ErrBehind = errors.New("pointer tables are behind the journal")

func notRecorded(reason error) error { return fmt.Errorf("%w: %w", ErrNotRecorded, reason) }

// unsure is the outcome of a draft whose event is there when that was not made sure of.
func unsure(reason error) error {
	if errors.Is(reason, journal.ErrUnknownOutcome) {
		return reason
	}
	return fmt.Errorf("%w: its event is there, which could not be made sure of: %v", journal.ErrUnknownOutcome, reason)
}

// stopped never wraps the reason: an append of unknown outcome that stopped the
// recorder says nothing about the drafts that come later.
func stopped(reason error) error { return fmt.Errorf("%w: %v", ErrStopped, reason) }
