package bolt

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// forget lets go of the kernel's copy of a synced file, so that who reads it next
// reads the disk.
func forget(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED), file.Close())
}
