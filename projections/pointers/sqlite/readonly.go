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
// process left a log, it is a copy of both that is read, among the files that are
// temporary, until Close. No file is os.ErrNotExist; the other errors are those of Open.
func OpenReadOnly(path string) (db *DB, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	asked, give := url.Values{"immutable": {"1"}, "mode": {"ro"}}, func() error { return nil }
	if (&DB{path: path}).walBytes() > 0 {
		asked = url.Values{}
		if path, give, err = copied(path); err != nil {
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
func copied(path string) (copy string, remove func() error, err error) {
	folder, err := os.MkdirTemp("", "puddle-")
	if err != nil {
		return "", nil, err
	}
	remove = func() error { return os.RemoveAll(folder) }
	if copy, err = Copy(path, folder); err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return copy, remove, nil
}

// Copy copies a file that nobody has open, with the log beside it if there is one, into a
// folder, where Open finds both under the path that it answers. A copy that is there is an
// error.
func Copy(path, folder string) (copy string, err error) {
	copy = filepath.Join(folder, filepath.Base(path))
	for _, suffix := range []string{"", "-wal"} {
		err := copyFile(path+suffix, copy+suffix)
		if err != nil && (suffix == "" || !errors.Is(err, os.ErrNotExist)) {
			return "", err
		}
	}
	return copy, nil
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
