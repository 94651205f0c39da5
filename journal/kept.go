package journal

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
)

// Keeper finds events and what is kept of the metadata files that they made. A
// Reader is one.
type Keeper interface {
	Find(ctx context.Context, id uuid.UUID) (Event, bool, error)
	Document(ctx context.Context, seq Seq, move int) ([]byte, error)
}

// KeptOf is the document that an event, found by its id, made for an object; nil
// when nothing is kept of it: the event is not of the current incarnation, or made
// none, or its document was over the limit or erased. An error is the keeper's, a
// *Damage for one.
func KeptOf(ctx context.Context, k Keeper, event, object uuid.UUID) ([]byte, error) {
	e, found, err := k.Find(ctx, event)
	if err != nil || !found {
		return nil, err
	}
	move := slices.IndexFunc(e.Moves(), func(m Move) bool { return m.UUID == object })
	if move < 0 {
		return nil, nil
	}
	text, err := k.Document(ctx, e.Seq, move)
	if NotKept(err) {
		return nil, nil
	}
	return text, err
}

// NotKept tells the errors by which Reader.Document says that there is none from
// those by which it cannot say.
func NotKept(err error) bool {
	return errors.Is(err, ErrNoEvent) || errors.Is(err, ErrNotKept) || errors.Is(err, ErrErased)
}
