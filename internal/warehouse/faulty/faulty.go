package faulty

import (
	"context"
	"iter"

	"puddle/internal/warehouse"
)

// Op is a method of a store.
type Op string

// The operations that a hook is asked about.
const (
	Get         Op = "get"
	Stat        Op = "stat"
	List        Op = "list"   // the key is the prefix
	Create      Op = "create" // Stage too
	Put         Op = "put"
	Delete      Op = "delete"
	MakeFolder  Op = "make-folder"
	CheckFolder Op = "check-folder"
)

// Fault says how a call fails. The zero Fault lets it through.
type Fault struct {
	Err     error // what the caller is told; nil: the call is not disturbed
	Applied bool  // the call takes effect before it fails
}

// Before fails a call that has not taken effect.
func Before(err error) Fault { return Fault{Err: err} }

// After fails a call that has taken effect.
func After(err error) Fault { return Fault{Err: err, Applied: true} }

// Hook is asked once at the start of each call, from the caller's goroutine. It
// may block there to hold a call back.
type Hook func(op Op, key string) Fault

// Store passes calls on to another store, except where its hook has them fail.
type Store struct {
	store warehouse.Store
	hook  Hook
}

var (
	_ warehouse.Store   = (*Store)(nil)
	_ warehouse.Folders = (*Store)(nil)
)

// New wraps store. A nil hook lets everything through.
func New(store warehouse.Store, hook Hook) *Store {
	if hook == nil {
		hook = func(Op, string) Fault { return Fault{} }
	}
	return &Store{store: store, hook: hook}
}

// Get implements [warehouse.Reader].
func (s *Store) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	if fault := s.hook(Get, key); fault.Err != nil {
		return nil, fault.Err
	}
	return s.store.Get(ctx, key, limit)
}

// Stat implements [warehouse.Reader].
func (s *Store) Stat(ctx context.Context, key string) (warehouse.Info, error) {
	if fault := s.hook(Stat, key); fault.Err != nil {
		return warehouse.Info{}, fault.Err
	}
	return s.store.Stat(ctx, key)
}

// List implements [warehouse.Reader]. A fault before fails the list at its
// start, a fault after at its end.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[warehouse.Entry, error] {
	return func(yield func(warehouse.Entry, error) bool) {
		fault := s.hook(List, prefix)
		if fault.Err == nil || fault.Applied {
			for entry, err := range s.store.List(ctx, prefix) {
				if !yield(entry, err) || err != nil {
					return
				}
			}
		}
		if fault.Err != nil {
			yield(warehouse.Entry{}, fault.Err)
		}
	}
}

// Create implements [warehouse.Store].
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	return s.change(Create, key, func() error { return s.store.Create(ctx, key, data) })
}

// Stage implements [warehouse.Store].
func (s *Store) Stage(ctx context.Context, key string, data []byte) (info warehouse.Info, err error) {
	err = s.change(Create, key, func() (err error) {
		info, err = s.store.Stage(ctx, key, data)
		return err
	})
	return info, err
}

// Put implements [warehouse.Store].
func (s *Store) Put(ctx context.Context, key string, data []byte) error {
	return s.change(Put, key, func() error { return s.store.Put(ctx, key, data) })
}

// Delete implements [warehouse.Store].
func (s *Store) Delete(ctx context.Context, key string) error {
	return s.change(Delete, key, func() error { return s.store.Delete(ctx, key) })
}

// MakeFolder implements [warehouse.Folders]. A store without folders needs
// none, and takes the call as done.
func (s *Store) MakeFolder(ctx context.Context, key string) error {
	return s.change(MakeFolder, key, func() error {
		if folders, ok := s.store.(warehouse.Folders); ok {
			return folders.MakeFolder(ctx, key)
		}
		return nil
	})
}

// CheckFolder implements [warehouse.Folders]. A store without folders has nothing
// that could stand in the way of one.
func (s *Store) CheckFolder(ctx context.Context, key string) error {
	if fault := s.hook(CheckFolder, key); fault.Err != nil {
		return fault.Err
	}
	if folders, ok := s.store.(warehouse.Folders); ok {
		return folders.CheckFolder(ctx, key)
	}
	return nil
}

// change runs one call under the hook. An error of the store itself wins over
// the fault: the call did not take effect.
func (s *Store) change(op Op, key string, call func() error) error {
	fault := s.hook(op, key)
	if fault.Err != nil && !fault.Applied {
		return fault.Err
	}
	if err := call(); err != nil {
		return err
	}
	return fault.Err
}
