package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"puddle/journal"
)

// inPlace makes sure that the path still leads to the file that is open. What is
// appended to one that was deleted, moved or replaced is not there at the next
// start, so that the writer closes (case 156).
func (j *Journal) inPlace() error {
	there, err := os.Stat(j.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		j.failed = errors.New("the file was deleted or moved")
	case err != nil:
		return fmt.Errorf("append to %s: %w", j.path, err)
	case !os.SameFile(there, j.opened):
		j.failed = errors.New("another file was put in its place")
	default:
		return nil
	}
	return fmt.Errorf("%w: %s: %w", journal.ErrClosed, j.path, j.failed)
}
