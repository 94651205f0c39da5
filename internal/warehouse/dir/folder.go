package dir

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"puddle/internal/warehouse"
)

// folderMode is cut down by the umask of the process, as the engines need it.
const folderMode = 0o777

// MakeFolder implements [warehouse.Folders].
func (s *Store) MakeFolder(ctx context.Context, key string) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	if done, err := s.quick.makeFolder(key); done {
		return written(key, err)
	}
	folder, err := s.makeFolders(key)
	if err != nil {
		return writeError(key, err)
	}
	return folder.Close()
}

// CheckFolder implements [warehouse.Folders].
func (s *Store) CheckFolder(ctx context.Context, key string) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	if s.quick.fit(key) {
		return nil
	}
	folder, err := s.openFolder(key)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return writeError(key, err)
	}
	return folder.Close()
}

// openFolder opens an existing folder, "" for the root.
func (s *Store) openFolder(key string) (*os.Root, error) {
	return s.walk(key, func(parent *os.Root, name, _ string) error { return nil })
}

// makeFolders opens a folder and makes what is missing of it, durably.
func (s *Store) makeFolders(key string) (*os.Root, error) {
	return s.walk(key, s.settle)
}

// walk opens the folder key step by step, so that no step follows a link. It
// calls before ahead of each step.
func (s *Store) walk(key string, before func(parent *os.Root, name, key string) error) (*os.Root, error) {
	folder, err := s.root.OpenRoot(".")
	if err != nil || key == "" {
		return folder, err
	}
	at := ""
	for name := range strings.SplitSeq(key, "/") {
		at = path.Join(at, name)
		err := before(folder, name, at)
		var next *os.Root
		if err == nil {
			next, err = enter(folder, name)
		}
		folder.Close()
		if err != nil {
			return nil, err
		}
		folder = next
	}
	return folder, nil
}

// enter opens the folder name inside of parent, unless it is a link.
func enter(parent *os.Root, name string) (*os.Root, error) {
	info, err := parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode().Type() == fs.ModeSymlink {
		return nil, warehouse.ErrLink
	}
	if !info.IsDir() {
		return nil, syscall.ENOTDIR
	}
	return parent.OpenRoot(name)
}

// settle makes the folder name in parent unless it exists. On return parent
// names it durably, also when another writer made it and has not synced yet.
func (s *Store) settle(parent *os.Root, name, key string) error {
	err := parent.Mkdir(name, folderMode)
	exists := errors.Is(err, fs.ErrExist)
	if err != nil && !exists {
		return err
	}
	if exists && s.settled.has(key) {
		return nil
	}
	if err := syncFolder(parent); err != nil {
		return err
	}
	s.settled.add(key)
	return nil
}

// syncFolder makes the names in folder durable.
func syncFolder(folder *os.Root) error {
	file, err := folder.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// MakeRoot makes an absolute path where it is missing, durably, the new folders
// with mode. A file in its way is an error.
func MakeRoot(path string, mode fs.FileMode) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return &fs.PathError{Op: "open", Path: path, Err: errors.New("not a folder")}
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := MakeRoot(filepath.Dir(path), mode); err != nil {
		return err
	}
	if err := os.Mkdir(path, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	parent, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(parent.Sync(), parent.Close())
}

// settledLimit bounds the memory of a settled set.
const settledLimit = 1 << 16

// settled is the set of folders whose names this process has synced. A folder
// that is forgotten costs one more sync, so at the limit all are.
type settled struct {
	mu   sync.Mutex
	keys map[string]struct{} // guarded by mu
}

func (s *settled) has(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, found := s.keys[key]
	return found
}

func (s *settled) add(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys == nil || len(s.keys) >= settledLimit {
		s.keys = make(map[string]struct{})
	}
	s.keys[key] = struct{}{}
}
