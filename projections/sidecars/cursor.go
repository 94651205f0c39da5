package sidecars

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// cursorKey is where the cursor is stored.
const cursorKey = Folder + "/cursor" + extension

// maxCursor is far above what a cursor of a newer build could need.
const maxCursor = 64 << 10

// storedCursor is cursor.json, in the order of its members.
type storedCursor struct {
	FormatVersion int            `json:"format-version"`
	Incarnation   uuid.UUID      `json:"incarnation"`
	Seq           journal.Seq    `json:"seq"`
	Hash          journal.Digest `json:"hash"`
}

// ReadCursor reads up to which event all sidecars were written; false when nobody
// knows. They may hold more. Its incarnation is the one that the catalog was in:
// what sidecars of an earlier one say was not in that catalog, once it is past the
// start of its incarnation. An error other than the store's is an *Unusable.
func ReadCursor(ctx context.Context, store warehouse.Reader) (journal.Position, bool, error) {
	data, err := store.Get(ctx, cursorKey, maxCursor)
	switch {
	case errors.Is(err, warehouse.ErrNotFound):
		return journal.Position{}, false, nil
	case errors.Is(err, warehouse.ErrTooLarge):
		return journal.Position{}, false, &Unusable{cursorKey, fmt.Errorf("%w: %w", ErrDamaged, err)}
	case err != nil:
		return journal.Position{}, false, err
	}
	var s storedCursor
	if err := unmarshal(data, maxCursor, &s); err != nil {
		return journal.Position{}, false, &Unusable{cursorKey, err}
	}
	if s.FormatVersion < 1 || s.Incarnation == uuid.Nil || s.Seq == 0 || s.Hash.IsZero() {
		return journal.Position{}, false, &Unusable{cursorKey, fmt.Errorf("%w: a member is missing", ErrDamaged)}
	}
	return journal.Position{Incarnation: s.Incarnation, Seq: s.Seq, Hash: s.Hash}, true, nil
}

func writeCursor(ctx context.Context, store warehouse.Store, at journal.Position) error {
	data, err := encode(&storedCursor{FormatVersion: FormatVersion, Incarnation: at.Incarnation, Seq: at.Seq, Hash: at.Hash})
	if err != nil {
		return err
	}
	return store.Put(ctx, cursorKey, data)
}
