package main

import (
	"context"
	"time"

	store "puddle/internal/warehouse"
	"puddle/internal/warehouse/s3"
	"puddle/rest"
)

// measured is a store that tells how long it took. What is not told of, such as
// listing it, is the store's own.
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
	return store.Fetch(ctx, m.Store, key, limit)
}

// StatAll implements store.Batches.
func (m measuredBucket) StatAll(ctx context.Context, keys []string) ([]store.Info, []error) {
	defer since(time.Now(), m.took.Stat)
	return m.batches.StatAll(ctx, keys)
}

// DeleteAll implements store.Batches.
func (m measuredBucket) DeleteAll(ctx context.Context, keys []string) []error {
	defer since(time.Now(), m.took.Delete)
	return m.batches.DeleteAll(ctx, keys)
}

// Get implements store.Reader.
func (m measured) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	defer since(time.Now(), m.took.Get)
	return m.Store.Get(ctx, key, limit)
}

// Stat implements store.Reader.
func (m measured) Stat(ctx context.Context, key string) (store.Info, error) {
	defer since(time.Now(), m.took.Stat)
	return m.Store.Stat(ctx, key)
}

// Create implements store.Store.
func (m measured) Create(ctx context.Context, key string, data []byte) error {
	defer since(time.Now(), m.took.Create)
	return m.Store.Create(ctx, key, data)
}

// Stage implements store.Store.
func (m measured) Stage(ctx context.Context, key string, data []byte) (store.Info, error) {
	defer since(time.Now(), m.took.Create)
	return m.Store.Stage(ctx, key, data)
}

// Put implements store.Store.
func (m measured) Put(ctx context.Context, key string, data []byte) error {
	defer since(time.Now(), m.took.Put)
	return m.Store.Put(ctx, key, data)
}

// Delete implements store.Store.
func (m measured) Delete(ctx context.Context, key string) error {
	defer since(time.Now(), m.took.Delete)
	return m.Store.Delete(ctx, key)
}

func since(start time.Time, tell func(time.Duration)) { tell(time.Since(start)) }
