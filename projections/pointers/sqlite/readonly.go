package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"puddle/projections/pointers"
)

// ErrReadOnly: the store was opened to be looked at.
var ErrReadOnly = errors.New("pointer tables are only looked at")

// lookers is how many calls can look at once.
const lookers = 4

// OpenReadOnly opens a file that nobody has open, to look at it: nothing is written
// to it nor made beside it, and what changes tables is ErrReadOnly. Where its last
// process left a log, it is a copy of both that is read, in a folder of its own below
// temporary ("": where temporary files are), until Close. No file is os.ErrNotExist; the
// other errors are those of Open. It does not read all of the file to find out: see Check.
func OpenReadOnly(path, temporary string) (db *DB, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	asked, give := url.Values{"immutable": {"1"}, "mode": {"ro"}}, func() error { return nil }
	if (&DB{path: path}).walBytes() > 0 {
		asked = url.Values{}
		if path, give, err = copied(path, temporary); err != nil {
			return nil, err
		}
	}
	asked["_pragma"] = []string{"query_only(1)", "temp_store(MEMORY)"}
	pool, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: asked.Encode()}).String())
	if err != nil {
		return nil, errors.Join(explain(err), give())
	}
	db = &DB{path: path, db: pool, readers: make(chan *session, lookers), closing: make(chan struct{})}
	for range lookers {
		db.readers <- nil
	}
	db.close = func() error { return errors.Join(db.closeReaders(), pool.Close(), give()) }
	if err := db.read(context.Background(), knownSchema); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// copied copies a file and its log, and answers what removes the copies.
func copied(path, temporary string) (copy string, remove func() error, err error) {
	folder, err := os.MkdirTemp(temporary, "puddle-")
	if err != nil {
		return "", nil, err
	}
	remove = func() error { return os.RemoveAll(folder) }
	copy = filepath.Join(folder, filepath.Base(path))
	for _, suffix := range []string{"", "-wal"} {
		if err := copyFile(path+suffix, copy+suffix); err != nil {
			return "", nil, errors.Join(err, remove())
		}
	}
	return copy, remove, nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// knownSchema refuses a file that is not this build's.
func knownSchema(s *session) error {
	version, err := versionOf(s)
	if err == nil && version == 0 {
		err = fmt.Errorf("%w: it is empty", pointers.ErrSchema)
	}
	return err
}

// closeReaders waits for the readers.
func (db *DB) closeReaders() error {
	select {
	case <-db.closing:
		return nil
	default:
		close(db.closing)
	}
	var errs []error
	for range lookers {
		if s := <-db.readers; s != nil {
			errs = append(errs, s.close())
		}
	}
	return errors.Join(errs...)
}
