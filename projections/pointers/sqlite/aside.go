package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// SetAside renames a file that nobody has open, with its log, to
// PATH.broken-TIME, so that a new one can be made while what was there stays to
// be looked at. The log goes first: one left behind would be read into the new
// file. A new name that is taken is os.ErrExist, and nothing was renamed.
func SetAside(path string, at time.Time) (newName string, err error) {
	newName = path + ".broken-" + at.UTC().Format("20060102T150405.000Z")
	for _, suffix := range []string{"-shm", "-wal", ""} {
		if _, err := os.Lstat(newName + suffix); !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("%s: %w", newName+suffix, os.ErrExist)
		}
	}
	for _, suffix := range []string{"-shm", "-wal", ""} {
		err := os.Rename(path+suffix, newName+suffix)
		if err != nil && !(suffix != "" && errors.Is(err, os.ErrNotExist)) {
			return "", err
		}
	}
	return newName, syncFolder(filepath.Dir(path))
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
