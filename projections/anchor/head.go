package anchor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// HeadKey is where the anchor is stored.
const HeadKey = warehouse.ReservedFolder + "/head.json"

// Findings of Head.Check.
var (
	// ErrRolledBack: the journal ends before its anchor. Events that were
	// acknowledged are gone from it.
	ErrRolledBack = errors.New("anchor: the journal was rolled back")

	// ErrOtherHistory: the journal holds another history than the one that
	// the anchor was written of.
	ErrOtherHistory = errors.New("anchor: the journal is of another history")
)

// Head is the newest position of a journal as its warehouse last saw it.
type Head struct {
	journal.Position
	At        time.Time // of the event there, in milliseconds
	WrittenAt time.Time // by the clock of the machine that wrote it
}

// storedHead is head.json, in the order of its members.
type storedHead struct {
	FormatVersion int            `json:"format-version"`
	Incarnation   uuid.UUID      `json:"incarnation"`
	Seq           journal.Seq    `json:"seq"`
	Hash          journal.Digest `json:"hash"`
	At            stamp          `json:"at"`
	WrittenAt     stamp          `json:"written-at"`
}

func (s *storedHead) missing() string {
	switch {
	case s.FormatVersion < 1:
		return "format-version"
	case s.Incarnation == uuid.Nil:
		return "incarnation"
	case s.Seq == 0:
		return "seq"
	case s.Hash.IsZero():
		return "hash"
	case s.At.IsZero():
		return "at"
	case s.WrittenAt.IsZero():
		return "written-at"
	}
	return ""
}

// ReadHead reads head.json; false when there is none. Errors: ErrDamaged,
// ErrNewer, and the store's.
func ReadHead(ctx context.Context, store warehouse.Reader) (Head, bool, error) {
	var s storedHead
	found, err := read(ctx, store, HeadKey, &s)
	if !found || err != nil {
		return Head{}, false, err
	}
	position := journal.Position{Incarnation: s.Incarnation, Seq: s.Seq, Hash: s.Hash}
	return Head{Position: position, At: s.At.Time, WrittenAt: s.WrittenAt.Time}, true, nil
}

// Raise has the anchor say that the warehouse saw a position, unless it has seen a later
// one: of a journal of which the end is given up, before it is. Idempotent; durable on
// return.
func Raise(ctx context.Context, store warehouse.Store, head Head) error {
	_, err := raise(ctx, store, head, true, func(Head) error { return nil })
	return err
}

// raise is Raise, and answers what the anchor says then. again: what says the same may
// not be durable, and is written once more. beside judges what is there of another
// incarnation: an error of it ends it.
func raise(ctx context.Context, store warehouse.Store, head Head, again bool, beside func(there Head) error) (journal.Position, error) {
	there, found, err := ReadHead(ctx, store)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return journal.Position{}, err
	}
	if found && there.Incarnation != head.Incarnation {
		if err := beside(there); err != nil {
			return journal.Position{}, err
		}
	}
	if found && (there.Seq > head.Seq || there.Position == head.Position && !again) {
		return there.Position, nil
	}
	return head.Position, writeHead(ctx, store, head)
}

func writeHead(ctx context.Context, store warehouse.Store, head Head) error {
	data, err := encode(&storedHead{
		FormatVersion: FormatVersion,
		Incarnation:   head.Incarnation,
		Seq:           head.Seq,
		Hash:          head.Hash,
		At:            stampOf(head.At),
		WrittenAt:     stampOf(head.WrittenAt),
	})
	if err != nil {
		return err
	}
	return store.Put(ctx, HeadKey, data)
}

// Check compares the anchor with the journal of its warehouse, which must hold
// the anchor's event: else the error wraps ErrRolledBack or ErrOtherHistory and
// names both positions. It is for the start, before a Follower writes.
func (h Head) Check(ctx context.Context, from journal.Reader) error {
	head, err := from.Head(ctx)
	switch {
	case err != nil:
		return err
	case head.Incarnation != h.Incarnation:
		return fmt.Errorf("%w: the warehouse last saw %s, the journal ends at %s", ErrOtherHistory, h, head)
	case head.Seq < h.Seq:
		return fmt.Errorf("%w: the warehouse last saw %s, the journal ends at %s", ErrRolledBack, h, head)
	}
	for event, err := range from.Scan(ctx, h.Seq-1) {
		if err != nil {
			return err
		}
		if event.Position == h.Position {
			return nil
		}
		break
	}
	return fmt.Errorf("%w: its event at %s is not the one that the warehouse saw", ErrOtherHistory, h)
}
