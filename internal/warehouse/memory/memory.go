package memory

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"puddle/internal/warehouse"
)

// Store is a [warehouse.Store] in memory with [warehouse.Folders]. It may be
// used from many goroutines. "Durable" means: until the process ends.
type Store struct {
	mu      sync.RWMutex
	files   map[string]file     // guarded by mu
	writes  uint64              // guarded by mu; how many there were
	folders map[string]struct{} // guarded by mu
}

type file struct {
	data    []byte // never changes
	written uint64 // by which write
}

func (f file) info() warehouse.Info {
	return warehouse.Info{Size: int64(len(f.data)), Tag: f.written}
}

var (
	_ warehouse.Store   = (*Store)(nil)
	_ warehouse.Folders = (*Store)(nil)
)

// New returns an empty store.
func New() *Store {
	return &Store{files: make(map[string]file), folders: make(map[string]struct{})}
}

// Get implements [warehouse.Reader].
func (s *Store) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	f, err := s.find(ctx, key)
	if err != nil {
		return nil, err
	}
	if int64(len(f.data)) > limit {
		return nil, fmt.Errorf("%w: %q has %d bytes, the limit is %d", warehouse.ErrTooLarge, key, len(f.data), limit)
	}
	return bytes.Clone(f.data), nil
}

// Stat implements [warehouse.Reader].
func (s *Store) Stat(ctx context.Context, key string) (warehouse.Info, error) {
	f, err := s.find(ctx, key)
	if err != nil {
		return warehouse.Info{}, err
	}
	return f.info(), nil
}

func (s *Store) find(ctx context.Context, key string) (file, error) {
	if err := check(ctx, key); err != nil {
		return file{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	f, found := s.files[key]
	if !found {
		return file{}, fmt.Errorf("%w: %q", warehouse.ErrNotFound, key)
	}
	return f, nil
}

// List implements [warehouse.Reader]. It yields the store as it was when the
// list began.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[warehouse.Entry, error] {
	return func(yield func(warehouse.Entry, error) bool) {
		prefix, err := warehouse.CleanPrefix(prefix)
		if err != nil {
			yield(warehouse.Entry{}, err)
			return
		}
		for _, entry := range s.below(prefix) {
			if err := ctx.Err(); err != nil {
				yield(warehouse.Entry{}, err)
				return
			}
			if !yield(entry, nil) {
				return
			}
		}
	}
}

func (s *Store) below(prefix string) []warehouse.Entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if prefix != "" {
		prefix += "/"
	}
	var entries []warehouse.Entry
	for _, key := range slices.Sorted(maps.Keys(s.files)) {
		if strings.HasPrefix(key, prefix) {
			entries = append(entries, warehouse.Entry{Key: key, Info: s.files[key].info()})
		}
	}
	return entries
}

// Create implements [warehouse.Store].
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	_, err := s.write(ctx, key, data, false)
	return err
}

// Stage implements [warehouse.Store].
func (s *Store) Stage(ctx context.Context, key string, data []byte) (warehouse.Info, error) {
	return s.write(ctx, key, data, false)
}

// Put implements [warehouse.Store].
func (s *Store) Put(ctx context.Context, key string, data []byte) error {
	_, err := s.write(ctx, key, data, true)
	return err
}

func (s *Store) write(ctx context.Context, key string, data []byte, replace bool) (warehouse.Info, error) {
	if err := check(ctx, key); err != nil {
		return warehouse.Info{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, isFile := s.files[key]
	_, isFolder := s.folders[key]
	if isFolder || isFile && !replace {
		return warehouse.Info{}, fmt.Errorf("%w: %q", warehouse.ErrExists, key)
	}
	if err := s.makeFoldersLocked(key, parents(key)); err != nil {
		return warehouse.Info{}, err
	}
	s.writes++
	is := file{bytes.Clone(data), s.writes}
	s.files[key] = is
	return is.info(), nil
}

// Delete implements [warehouse.Store].
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, key)
	return nil
}

// MakeFolder implements [warehouse.Folders].
func (s *Store) MakeFolder(ctx context.Context, key string) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.makeFoldersLocked(key, append(parents(key), key))
}

// CheckFolder implements [warehouse.Folders].
func (s *Store) CheckFolder(ctx context.Context, key string) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.checkFoldersLocked(key, append(parents(key), key))
}

func (s *Store) checkFoldersLocked(key string, folders []string) error {
	for _, folder := range folders {
		if _, isFile := s.files[folder]; isFile {
			return fmt.Errorf("%w: %q, in the way of %q", warehouse.ErrExists, folder, key)
		}
	}
	return nil
}

func (s *Store) makeFoldersLocked(key string, folders []string) error {
	if err := s.checkFoldersLocked(key, folders); err != nil {
		return err
	}
	for _, folder := range folders {
		s.folders[folder] = struct{}{}
	}
	return nil
}

// parents returns the folders of key, outermost first.
func parents(key string) []string {
	var folders []string
	for i := range len(key) {
		if key[i] == '/' {
			folders = append(folders, key[:i])
		}
	}
	return folders
}

func check(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return warehouse.CheckKey(key)
}
