package leased

import (
	"context"
	"fmt"

	"puddle/internal/warehouse"
)

// Store passes calls on to another store, writes only while they are allowed. Its
// methods may be called from many goroutines.
type Store struct {
	warehouse.Store
	held func() error
}

var _ warehouse.Store = Store{}

// New wraps a store. held is asked before each write, by many goroutines: nil, or why
// nothing may be written any more, which the write then fails with, wrapped, and has
// changed nothing. It must not block. What it answers has [warehouse.Batches] if store has.
func New(store warehouse.Store, held func() error) warehouse.Store {
	s := Store{store, held}
	if many, ok := store.(warehouse.Batches); ok {
		return batching{s, many}
	}
	return s
}

// Roots are those with their stores wrapped.
func Roots(roots warehouse.Roots, held func() error) warehouse.Roots {
	wrapped := make(warehouse.Roots, len(roots))
	for i, root := range roots {
		root.Store = New(root.Store, held)
		wrapped[i] = root
	}
	return wrapped
}

// batching is a store that does for many keys at once.
type batching struct {
	Store
	many warehouse.Batches
}

// StatAll implements [warehouse.Batches].
func (b batching) StatAll(ctx context.Context, keys []string) ([]warehouse.Info, []error) {
	return b.many.StatAll(ctx, keys)
}

// DeleteAll implements [warehouse.Batches].
func (b batching) DeleteAll(ctx context.Context, keys []string) []error {
	err := b.held()
	if err == nil {
		return b.many.DeleteAll(ctx, keys)
	}
	refused := make([]error, len(keys))
	for i, key := range keys {
		refused[i] = notWritten(key, err)
	}
	return refused
}

// Fetch implements [warehouse.Fetcher].
func (s Store) Fetch(ctx context.Context, key string, limit int64) ([]byte, warehouse.Info, error) {
	return warehouse.Fetch(ctx, s.Store, key, limit)
}

// Create implements [warehouse.Store].
func (s Store) Create(ctx context.Context, key string, data []byte) error {
	if err := s.ask(key); err != nil {
		return err
	}
	return s.Store.Create(ctx, key, data)
}

// Stage implements [warehouse.Store].
func (s Store) Stage(ctx context.Context, key string, data []byte) (warehouse.Info, error) {
	if err := s.ask(key); err != nil {
		return warehouse.Info{}, err
	}
	return s.Store.Stage(ctx, key, data)
}

// Put implements [warehouse.Store].
func (s Store) Put(ctx context.Context, key string, data []byte) error {
	if err := s.ask(key); err != nil {
		return err
	}
	return s.Store.Put(ctx, key, data)
}

// Delete implements [warehouse.Store].
func (s Store) Delete(ctx context.Context, key string) error {
	if err := s.ask(key); err != nil {
		return err
	}
	return s.Store.Delete(ctx, key)
}

func (s Store) ask(key string) error {
	if err := s.held(); err != nil {
		return notWritten(key, err)
	}
	return nil
}

func notWritten(key string, err error) error { return fmt.Errorf("%q is not written: %w", key, err) }
