package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"go.etcd.io/bbolt"

	"puddle/journal"
)

// write is what one transaction is to do.
type write struct {
	fill  func(*bbolt.Tx) error
	there func(*bbolt.Tx) (bool, error) // looks whether it was done
	binds []binding
	moved journal.Heads
}

// writeLocked makes a write durable in one transaction, or finds out what became
// of it. Nothing is tried again on a file that failed: it is opened anew, or a
// copy takes its place.
func (j *Journal) writeLocked(w write) error {
	if err := j.inPlace(); err != nil {
		return err
	}
	j.durable.begin(w.binds)
	tried, err := j.commit(w.fill)
	if tried && err != nil {
		err = j.settleLocked(err, w.there)
	}
	j.durable.end(w.moved, err)
	return err
}

// commit is one transaction. Before it is tried all of it is in memory, and a
// crash or a refusal leaves nothing.
func (j *Journal) commit(fill func(*bbolt.Tx) error) (tried bool, err error) {
	tx, err := j.db.Begin(true)
	if err != nil {
		return false, closed(err)
	}
	defer guard(tx.Rollback)
	if err := guard(func() error { return fill(tx) }); err != nil {
		return false, err
	}
	commit := tx.Commit
	if j.options.commit != nil {
		commit = func() error { return j.options.commit(tx) }
	}
	return true, guard(commit)
}

// settleLocked says what became of a commit that failed: nil when it is durable,
// an error when it surely is not, ErrUnknownOutcome when nobody can look, which
// closes the writer (case 156).
func (j *Journal) settleLocked(failure error, there func(*bbolt.Tx) (bool, error)) error {
	look := j.replaceLocked
	if unsynced(failure) {
		look = j.reopenLocked
	}
	done := false
	err := look()
	if err == nil {
		err = guard(func() error {
			return j.db.View(func(tx *bbolt.Tx) (err error) {
				done, err = there(tx)
				return err
			})
		})
	}
	switch {
	case err != nil:
		j.failed = fmt.Errorf("the outcome of an earlier append is unknown: %w", failure)
		return fmt.Errorf("%w: %s: %w", journal.ErrUnknownOutcome, j.path, errors.Join(failure, err))
	case done:
		return nil
	}
	return fmt.Errorf("append to %s: %w", j.path, failure) // a full disk, say: the next may fit
}

// unsynced tells that a commit surely failed before a sync did: the file then
// still says what will be on the disk. bbolt names what it was doing in all
// errors but those of its syncs, which are bare numbers, and in that of growing
// the file, which says so.
func unsynced(failure error) bool {
	if failed, ok := errors.AsType[*fs.PathError](failure); ok && failed.Op == "write" {
		return true
	}
	return strings.HasPrefix(failure.Error(), "file resize error: ") || strings.HasPrefix(failure.Error(), "mmap allocate error: ")
}

// reopenLocked closes the file and opens it anew, while readers wait. When it
// cannot be written any more it is opened for them alone.
func (j *Journal) reopenLocked() error {
	j.handle.Lock()
	defer j.handle.Unlock()
	failed := j.db.Close()
	fresh, err := openSynced(j.path, j.options)
	if err == nil {
		j.adopt(fresh)
		return nil
	}
	err = errors.Join(err, failed)
	if fresh, readErr := openThere(j.path, Options{ReadOnly: true}); readErr == nil {
		j.adopt(fresh)
	}
	return err
}

// replaceLocked puts a proven copy in the place of the file. Until then the
// readers have the old one.
func (j *Journal) replaceLocked() error {
	fresh, err := replace(j.path, j.options)
	if err != nil {
		return err
	}
	j.handle.Lock()
	old := j.db
	j.adopt(fresh)
	j.handle.Unlock()
	_ = old.Close() // nothing of it is used any more
	return nil
}

func (j *Journal) adopt(fresh *Journal) { j.db, j.opened = fresh.db, fresh.opened }
