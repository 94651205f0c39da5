package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"puddle/journal"
)

// Options say how to open a journal.
type Options struct {
	// ReadOnly opens it beside other readers and writes nothing. The tail is
	// then not checked, so that what is whole in a damaged journal can be read
	// up to the damage.
	ReadOnly bool
	// Timeout is how long to wait while another process has it open. 0 does
	// not wait.
	Timeout time.Duration

	// OnReplaced is told that a sync of the file failed and a copy, proven to be
	// whole and durable, took its place, and where the old file is kept. Optional;
	// called before Open or the append returns.
	OnReplaced func(kept string)

	openFile opener                // of tests; nil: os.OpenFile
	commit   func(*bbolt.Tx) error // of tests; nil: the transaction's own
}

// Open opens the journal in a file, and makes an empty one when there is no file
// and ReadOnly is not set. The last events of every warehouse are checked, and that
// no page in use is listed as free; all that is there is durable.
//
// ErrLocked: another process has it open. ErrFormat: the file is no journal (an
// empty file is none), or a newer build wrote it; it is left as it is. *Damage:
// the last events are not what was appended, or a page that is in use, or that
// does not exist, is listed as free.
//
// After a sync that failed, here or before the last stop, a proven copy takes the
// file's place (OnReplaced); when that fails nothing is opened but for reading.
func Open(path string, o Options) (*Journal, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !o.ReadOnly {
		if err := create(path); err != nil {
			return nil, err
		}
	}
	if !o.ReadOnly && Doubtful(path) {
		if err := inspect(path, o); err != nil {
			return nil, err
		}
		return replace(path, o)
	}
	return openSynced(path, o)
}

// openSynced opens a file that must be there, and makes sure that what it shows
// is durable: a process may have been killed, or a write have failed, between the
// last write and its sync.
func openSynced(path string, o Options) (*Journal, error) {
	j, err := openThere(path, o)
	if err != nil || o.ReadOnly {
		return j, err
	}
	if guard(j.db.Sync) == nil && syncFolder(filepath.Dir(path)) == nil {
		return j, nil
	}
	_ = j.db.Close() // nothing of it is used any more
	return replace(path, o)
}

// openThere opens a file that must be there.
func openThere(path string, o Options) (*Journal, error) {
	if err := inspect(path, o); err != nil {
		return nil, err
	}
	j := &Journal{path: path, options: o}
	var file *os.File
	var err error
	o.openFile = keep(&file, o.openFile)
	if j.db, err = open(path, o); err != nil {
		return nil, err
	}
	if o.ReadOnly {
		j.failed = errors.New("it was opened to be read only")
		return j, nil
	}
	if j.opened, err = file.Stat(); err == nil {
		err = j.load()
	}
	if err != nil {
		return nil, errors.Join(err, j.db.Close())
	}
	return j, nil
}

// opener opens files as os.OpenFile does.
type opener func(name string, flag int, mode os.FileMode) (*os.File, error)

// keep opens a file with open, or as usual, and keeps it.
func keep(file **os.File, open opener) opener {
	if open == nil {
		open = os.OpenFile
	}
	return func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
		*file, err = open(name, flag, mode)
		return *file, err
	}
}

// inspect finds out whether a file is a journal before anything could write to
// it: bbolt fills empty files, and repairs what other programs left in theirs.
func inspect(path string, o Options) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("open journal: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return fmt.Errorf("%w: %s is empty or no file", journal.ErrFormat, path)
	}
	db, err := open(path, Options{ReadOnly: true, Timeout: o.Timeout})
	if err != nil {
		return err
	}
	err = guard(func() error {
		return db.View(func(tx *bbolt.Tx) error { return inspectTx(tx, info.Size(), o.ReadOnly) })
	})
	if err == nil && !o.ReadOnly {
		err = checkFree(path)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return errors.Join(err, db.Close())
}

func inspectTx(tx *bbolt.Tx, size int64, readOnly bool) error {
	if size < tx.Size() {
		return fmt.Errorf("%w: the file ends at byte %d of %d", journal.ErrFormat, size, tx.Size())
	}
	b := tx.Bucket(bucketPuddle)
	if b == nil || tx.Bucket(bucketWarehouses) == nil {
		return fmt.Errorf("%w: it is a bbolt file of another program", journal.ErrFormat)
	}
	format, least := b.Get(keyFormat), b.Get(keyMinReader)
	if len(format) != 4 || len(least) != 4 {
		return fmt.Errorf("%w: it does not say its format", journal.ErrFormat)
	}
	if n := binary.BigEndian.Uint32(least); n > Format {
		return fmt.Errorf("%w: it needs a build of format %d, this one is of %d", journal.ErrFormat, n, Format)
	}
	if n := binary.BigEndian.Uint32(format); n > Format && !readOnly {
		return fmt.Errorf("%w: it has format %d, this build of format %d may only read it", journal.ErrFormat, n, Format)
	}
	return nil
}

func open(path string, o Options) (db *bbolt.DB, err error) {
	err = guard(func() error {
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			ReadOnly:        o.ReadOnly,
			Timeout:         max(o.Timeout, 1), // 0 would wait for ever
			FreelistType:    bbolt.FreelistMapType,
			InitialMmapSize: mmapSize(),
			NoStatistics:    true,
			OpenFile:        o.openFile,
		})
		return err
	})
	_, isSystem := errors.AsType[syscall.Errno](err)
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, fmt.Errorf("%w: %s", journal.ErrLocked, path)
	case isSystem:
		return nil, fmt.Errorf("open journal: %w", err)
	case err != nil:
		return nil, fmt.Errorf("%w: %s: %w", journal.ErrFormat, path, err)
	}
	return db, nil
}

// mmapSize is the address space to map at least. Growing the map waits for all
// readers, and bbolt doubles it up to 1 GiB: starting there avoids fifteen such
// waits, and costs no memory. It is too much for 32-bit addresses, and Windows
// would make the file that large.
func mmapSize() int {
	if strconv.IntSize < 64 || runtime.GOOS == "windows" {
		return 0
	}
	return 1 << 30
}

// create makes an empty journal. It is built under another name, so that a crash
// leaves a whole one or none; a file that has come to be meanwhile is kept.
func create(path string) error {
	folder, name := filepath.Split(path)
	f, err := os.CreateTemp(filepath.Clean(folder), "."+name+".*.new")
	if err != nil {
		return fmt.Errorf("create journal: %w", err)
	}
	defer os.Remove(f.Name())
	if err := errors.Join(f.Close(), build(f.Name())); err != nil {
		return fmt.Errorf("create journal: %w", err)
	}
	// A link is a rename that never replaces.
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("create journal: %w", err)
	}
	return syncFolder(filepath.Clean(folder))
}

// build fills an empty file and syncs it.
func build(path string) error {
	db, err := open(path, Options{})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket(bucketPuddle)
		if err != nil {
			return err
		}
		_, err = tx.CreateBucket(bucketWarehouses)
		return errors.Join(err,
			b.Put(keyFormat, binary.BigEndian.AppendUint32(nil, Format)),
			b.Put(keyMinReader, binary.BigEndian.AppendUint32(nil, minReader)))
	})
	return errors.Join(err, db.Sync(), db.Close())
}

func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	return errors.Join(f.Sync(), f.Close())
}
