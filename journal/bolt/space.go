package bolt

import (
	"context"

	"go.etcd.io/bbolt"
)

// Space is how much room a journal's file takes, in bytes.
type Space struct {
	File int64 // all of it; it never shrinks by itself
	Free int64 // of that, pages that hold nothing and will be written first
}

// Space measures the file. It reads no events.
func (j *Journal) Space(ctx context.Context) (Space, error) {
	var s Space
	err := j.view(ctx, func(tx *bbolt.Tx) error {
		stats := tx.DB().Stats()
		s.File = tx.Size()
		s.Free = int64(stats.FreePageN+stats.PendingPageN) * int64(tx.DB().Info().PageSize)
		return nil
	})
	return s, err
}
