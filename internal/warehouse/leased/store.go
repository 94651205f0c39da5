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
// changed nothing. It must not block.
func New(store warehouse.Store, held func() error) Store { return Store{store, held} }

// Roots are those with their stores wrapped.
func Roots(roots warehouse.Roots, held func() error) warehouse.Roots {
	wrapped := make(warehouse.Roots, len(roots))
	for i, root := range roots {
		root.Store = New(root.Store, held)
		wrapped[i] = root
	}
	return wrapped
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
		return fmt.Errorf("%q is not written: %w", key, err)
	}
	return nil
}
