package main

import (
	"context"
	"errors"
	"slices"
	"time"

	store "puddle/internal/warehouse"
	"puddle/internal/warehouse/s3"
	"puddle/rest"
)

// measured is a store that tells how long it took, and what failed. What is not told of,
// such as listing it, is the store's own.
type measured struct {
	store.Store
	took rest.StoreTimes
}

// measuredFolder is a measured folder of a file system.
type measuredFolder struct {
	measured
	folder
}

// folder is what a folder of a file system has beside a store.
type folder interface {
	store.Folders
	store.Finder
	store.Odd
}

// measuredBucket is a measured bucket of an object store.
type measuredBucket struct {
	measured
	batches store.Batches
}

var _ store.Fetcher = measuredBucket{}

func measureBucket(bucket *s3.Store, took rest.StoreTimes) measuredBucket {
	return measuredBucket{measured{bucket, took}, bucket}
}

// Fetch implements store.Fetcher.
func (m measuredBucket) Fetch(ctx context.Context, key string, limit int64) ([]byte, store.Info, error) {
	defer since(time.Now(), m.took.Get)
	data, info, err := store.Fetch(ctx, m.Store, key, limit)
	return data, info, m.ended(rest.StoreGet, err)
}

// StatAll implements store.Batches.
func (m measuredBucket) StatAll(ctx context.Context, keys []string) ([]store.Info, []error) {
	defer since(time.Now(), m.took.Stat)
	infos, errs := m.batches.StatAll(ctx, keys)
	return infos, m.allEnded(rest.StoreStat, errs)
}

// DeleteAll implements store.Batches.
func (m measuredBucket) DeleteAll(ctx context.Context, keys []string) []error {
	defer since(time.Now(), m.took.Delete)
	return m.allEnded(rest.StoreDelete, m.batches.DeleteAll(ctx, keys))
}

// Get implements store.Reader.
func (m measured) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	defer since(time.Now(), m.took.Get)
	data, err := m.Store.Get(ctx, key, limit)
	return data, m.ended(rest.StoreGet, err)
}

// Stat implements store.Reader.
func (m measured) Stat(ctx context.Context, key string) (store.Info, error) {
	defer since(time.Now(), m.took.Stat)
	info, err := m.Store.Stat(ctx, key)
	return info, m.ended(rest.StoreStat, err)
}

// Create implements store.Store.
func (m measured) Create(ctx context.Context, key string, data []byte) error {
	defer since(time.Now(), m.took.Create)
	return m.ended(rest.StoreCreate, m.Store.Create(ctx, key, data))
}

// Stage implements store.Store.
func (m measured) Stage(ctx context.Context, key string, data []byte) (store.Info, error) {
	defer since(time.Now(), m.took.Create)
	info, err := m.Store.Stage(ctx, key, data)
	return info, m.ended(rest.StoreCreate, err)
}

// Put implements store.Store.
func (m measured) Put(ctx context.Context, key string, data []byte) error {
	defer since(time.Now(), m.took.Put)
	return m.ended(rest.StorePut, m.Store.Put(ctx, key, data))
}

// Delete implements store.Store.
func (m measured) Delete(ctx context.Context, key string) error {
	defer since(time.Now(), m.took.Delete)
	return m.ended(rest.StoreDelete, m.Store.Delete(ctx, key))
}

// ended tells of an operation that failed, and passes its error on.
func (m measured) ended(operation rest.StoreOperation, err error) error {
	if reason := trouble(err); reason != "" {
		m.took.Failed(operation, reason)
	}
	return err
}

func (m measured) allEnded(operation rest.StoreOperation, errs []error) []error {
	for _, err := range errs {
		_ = m.ended(operation, err)
	}
	return errs
}

// noTrouble are errors of storage that does what it must, and of who stops asking.
var noTrouble = []error{store.ErrNotFound, store.ErrExists, store.ErrInvalidKey, store.ErrTooLarge, store.ErrLink, context.Canceled}

// trouble is why storage did not do what it was asked; empty: it did.
func trouble(err error) rest.StoreFailure {
	if err == nil || slices.ContainsFunc(noTrouble, func(fine error) bool { return errors.Is(err, fine) }) {
		return ""
	}
	switch {
	case errors.Is(err, store.ErrDenied):
		return rest.StoreDenied
	case errors.Is(err, store.ErrNoBucket):
		return rest.StoreNoBucket
	}
	return rest.StoreFailed
}

func since(start time.Time, tell func(time.Duration)) { tell(time.Since(start)) }
