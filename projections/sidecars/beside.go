package sidecars

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// late is how often a sidecar is looked at that does not name yet what is to be named.
const late = 250 * time.Millisecond

// AddUnconfirmed does what a Follower's Unconfirmed does, where another process has the
// follower: it waits, as long as ctx lasts, until a sidecar names the file that a move is
// from, and lists the one that it is to. What the follower writes at that moment may be
// set back by it, and is looked at again (Options.Others). Best effort; durable on return.
func AddUnconfirmed(ctx context.Context, store warehouse.Store, event uuid.UUID, moves ...journal.Move) error {
	var errs []error
	for _, m := range moves {
		if doubtful(m) {
			errs = append(errs, addUnconfirmed(ctx, store, event, m))
		}
	}
	return errors.Join(errs...)
}

func addUnconfirmed(ctx context.Context, store warehouse.Store, event uuid.UUID, m journal.Move) error {
	key := Key(m.UUID)
	for {
		found, _, err := find(ctx, store, key)
		if err != nil {
			return fmt.Errorf("sidecar %q: %w", key, err)
		}
		if o := found.Object; o != nil && samePlace(o.MetadataLocation, m.From.Pointer.MetadataLocation) {
			data, err := Encode(o.doubting(event, m))
			if err != nil {
				return &Unusable{key, err}
			}
			return store.Put(ctx, key, data)
		}
		select {
		case <-time.After(late):
		case <-ctx.Done():
			return fmt.Errorf("sidecar %q does not name %s: %w", key, m.From.Pointer.MetadataLocation, ctx.Err())
		}
	}
}

// doubting is the state with the new file of a move listed as unconfirmed.
func (o Object) doubting(event uuid.UUID, m journal.Move) Object {
	o.Unconfirmed = append(newest(o.Unconfirmed, maxListed-1), Unconfirmed{Location: m.To.Pointer.MetadataLocation, EventID: event})
	return o
}
