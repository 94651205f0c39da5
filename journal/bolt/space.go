package bolt

import (
	"context"
	"os"

	"go.etcd.io/bbolt"
)

// Space is how much room a journal's file takes, in bytes.
type Space struct {
	File int64 // all of it; it never shrinks by itself
	Free int64 // of that, what holds nothing and will be written first
}

// Space measures the file. It reads no events.
func (j *Journal) Space(ctx context.Context) (s Space, err error) {
	err = j.view(ctx, func(tx *bbolt.Tx) error {
		info, err := os.Stat(tx.DB().Path())
		if err != nil {
			return err
		}
		stats := tx.DB().Stats()
		s.File = info.Size()
		s.Free = int64(stats.FreePageN+stats.PendingPageN)*int64(tx.DB().Info().PageSize) + max(0, s.File-tx.Size())
		return nil
	})
	return s, err
}
