package bolt

import (
	"context"

	"puddle/journal"
)

var _ journal.Files = reader{}

// File implements journal.Files.
func (r reader) File(ctx context.Context, seq journal.Seq, move int) ([]byte, error) {
	return r.shelf(ctx).File(seq, move)
}
