package recover

import (
	"context"

	"github.com/google/uuid"
)

// Judge tells to which history a start would bind the warehouse, by all but its
// anchor, and writes nothing. The error is what Bind would end with, *Refusal among
// others; one that would be born is ErrUnborn.
func (b Binder) Judge(ctx context.Context, w Warehouse) (uuid.UUID, error) {
	seen, err := b.look(ctx, w)
	if err != nil {
		return uuid.Nil, err
	}
	found, err := decide(w, seen)
	switch {
	case err != nil:
		return uuid.Nil, err
	case found == nil:
		return uuid.Nil, ErrUnborn
	}
	return found.id, nil
}
