package bolt

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// copySuffix names the copy that is to take the place of a journal whose sync
// failed. A file of that name also says that it has not: until a copy is proven,
// nobody knows which pages of the journal are on the disk and which only in
// memory. That it was left behind is all it says, so that it need not be durable:
// when the system goes down, what is in memory only goes with it.
const copySuffix = ".copy"

// Doubtful tells that a sync of the journal failed, and no proven copy has taken its
// place yet: nobody knows which of its bytes are on the disk. Opening it to write
// proves them.
func Doubtful(path string) bool {
	_, err := os.Lstat(path + copySuffix)
	return !errors.Is(err, fs.ErrNotExist)
}

// replace copies a journal that nobody writes to a new file, syncs the copy,
// checks all of it, and puts it in the place of the old one, which is kept as
// PATH.broken-TIME. A crash leaves the old file or the proven copy at the path.
// After an error the journal stays doubtful.
func replace(path string, o Options) (*Journal, error) {
	j, kept, err := proven(path, o)
	if err != nil {
		// What there is of the copy may be in the way of what repairs the disk.
		_ = os.WriteFile(path+copySuffix, nil, 0o600)
		return nil, fmt.Errorf("a sync of the journal failed, and no copy of it could be proven: %w", err)
	}
	if o.OnReplaced != nil {
		o.OnReplaced(kept)
	}
	return j, nil
}

func proven(path string, o Options) (_ *Journal, kept string, err error) {
	copied := path + copySuffix
	if err := duplicate(path, copied); err != nil {
		return nil, "", err
	}
	j, err := openThere(copied, o)
	if err != nil {
		return nil, "", err
	}
	if err = j.prove(); err == nil {
		kept, err = exchange(path, copied)
	}
	if err != nil {
		return nil, "", errors.Join(err, j.db.Close())
	}
	j.path = path
	return j, kept, nil
}

// duplicate copies a file byte for byte, durably. The file system is given no
// chance to let the two share what is on the disk.
func duplicate(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(struct{ io.Writer }{out}, struct{ io.Reader }{in})
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// exchange puts a copy in the place of a file and keeps the file. At no moment
// is there none at the path.
func exchange(path, copied string) (kept string, err error) {
	kept = path + ".broken-" + time.Now().UTC().Format("20060102T150405.000Z")
	if err := os.Link(path, kept); err != nil {
		return "", err
	}
	if err := os.Rename(copied, path); err != nil {
		return "", errors.Join(err, os.Remove(kept))
	}
	return kept, syncFolder(filepath.Dir(path))
}
