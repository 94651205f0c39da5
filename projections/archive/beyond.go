package archive

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// Claims are the newest events that an archive is known to have been about to hold,
// whether it holds them or not: what is sealed was in a journal before. Where it ends
// before one, its last segments are gone, or a writer was stopped at that moment. They
// have no hashes; a zero one says nothing.
type Claims struct {
	Hint      journal.Position // HEAD names the segment that begins with it
	Documents journal.Position // there are documents that begin with it
}

// ReadClaims reads HEAD and lists the archive. What is wrong with either is no claim. The
// errors are the store's.
func ReadClaims(ctx context.Context, store warehouse.Reader) (c Claims, err error) {
	h, err := readHint(ctx, store)
	if errors.Is(err, warehouse.ErrLink) {
		h, err = hint{}, nil
	}
	if err != nil {
		return c, err
	}
	if h.First != 0 && h.Incarnation != uuid.Nil {
		c.Hint = journal.Position{Incarnation: h.Incarnation, Seq: h.First}
	}
	for entry, err := range entries(ctx, store, Folder) {
		if err != nil {
			return c, err
		}
		incarnation, first, p, ok := parseKey(entry.Key)
		if ok && p == documentsPart && first > c.Documents.Seq {
			c.Documents = journal.Position{Incarnation: incarnation, Seq: first}
		}
	}
	return c, nil
}
