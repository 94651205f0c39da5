package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"sync"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"puddle/journal"
)

// Journal is a journal in one bbolt file. It appends no more after an append of
// unknown outcome, or once its path no longer leads to its file; reads go on,
// and do not show what such an append was to write.
type Journal struct {
	path    string
	options Options
	durable durable

	mu     sync.Mutex // held by who writes
	failed error      // why the writer is closed; nil while it is not

	// Changed by who holds mu and handle, when the file is opened anew.
	handle sync.RWMutex // held by who reads
	db     *bbolt.DB
	opened fs.FileInfo // which file that is
}

var _ journal.Journal = (*Journal)(nil)

// Warehouses implements journal.Journal.
func (j *Journal) Warehouses(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := j.view(ctx, func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketWarehouses).ForEachBucket(func(key []byte) error {
			id, err := uuid.FromBytes(key)
			if _, known, all := j.durable.head(id); known || all {
				ids = append(ids, id)
			}
			return err
		})
	})
	return ids, err
}

// Warehouse implements journal.Journal.
func (j *Journal) Warehouse(id uuid.UUID) journal.Reader { return reader{j: j, warehouse: id} }

// Close implements journal.Journal.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.failed = errors.New("it was closed")
	return j.db.Close()
}

// view reads in one transaction, which keeps the writer from growing the file's
// map: what fn hands out it copies, and it does not wait for anybody.
func (j *Journal) view(ctx context.Context, fn func(tx *bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j.handle.RLock()
	defer j.handle.RUnlock()
	return closed(guard(func() error { return j.db.View(fn) }))
}

// guard runs what touches the pages of the file. bbolt trusts them: it panics on
// those that are damaged, and ones that are missing are a memory fault. Both
// become a *Damage.
func guard(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = &journal.Damage{Reason: fmt.Sprintf("a page of the file does not read: %v", r)}
		}
	}()
	return fn()
}

// closed turns bbolt's word for a closed file into the journal's.
func closed(err error) error {
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return fmt.Errorf("%w: %w", journal.ErrClosed, err)
	}
	return err
}
