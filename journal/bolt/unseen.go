package bolt

import (
	"encoding/binary"
	"errors"
	"io/fs"
)

// bbolt's two meta pages say, in turn, which transaction the file is at: the
// last thing that a commit writes, after it has synced all else.
const (
	metaMagic   = 0xED0CDAED
	magicOffset = 16 // after the page's header, in the byte order of the machine
	txidOffset  = magicOffset + 48
)

// unseen tells that a commit surely left nothing: a write failed, and no meta
// page is of the transaction, not even in the system's memory. Of a sync that
// failed it is never said: what a look shows then proves nothing (case 156).
func (j *Journal) unseen(tx int, failure error) bool {
	var failed *fs.PathError
	if !errors.As(failure, &failed) || failed.Op != "write" {
		return false
	}
	for _, at := range []int64{0, int64(j.db.Info().PageSize)} {
		meta := make([]byte, txidOffset+8)
		if _, err := j.file.ReadAt(meta, at); err != nil {
			return false
		}
		if binary.NativeEndian.Uint32(meta[magicOffset:]) != metaMagic || binary.NativeEndian.Uint64(meta[txidOffset:]) >= uint64(tx) {
			return false
		}
	}
	return true
}
