package dir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"puddle/internal/warehouse"
)

// Store is a folder as a [warehouse.Store] with [warehouse.Folders]. It may be
// used from many goroutines and beside other processes.
type Store struct {
	root    *os.Root
	quick   quick
	settled settled
}

var (
	_ warehouse.Store   = (*Store)(nil)
	_ warehouse.Folders = (*Store)(nil)
)

// Open opens the store in the folder path, which is created, durably and with
// its parents, where it is missing.
func Open(path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("warehouse: open %q: %w", path, err)
	}
	if err := MakeRoot(path, folderMode); err != nil {
		return nil, fmt.Errorf("warehouse: open %q: %w", path, err)
	}
	return Existing(path)
}

// Existing is Open of a folder that is there: it makes none.
func Existing(path string) (*Store, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("warehouse: open %q: %w", path, err)
	}
	quick, err := openQuick(root)
	if err != nil {
		return nil, fmt.Errorf("warehouse: open %q: %w", path, errors.Join(err, root.Close()))
	}
	return &Store{root: root, quick: quick}, nil
}

// Close lets go of the folder. No method may be called after it.
func (s *Store) Close() error {
	s.quick.close()
	return s.root.Close()
}

// Get implements [warehouse.Reader].
func (s *Store) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	file, err := s.open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := readAll(file, limit)
	if err != nil {
		return nil, readError(key, err)
	}
	return data, nil
}

// open opens the file under key for reading.
func (s *Store) open(ctx context.Context, key string) (*os.File, error) {
	if err := check(ctx, key); err != nil {
		return nil, err
	}
	if file, ok := s.quick.open(key); ok {
		return file, nil
	}
	folder, name, err := s.find(key)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	if _, err := lstat(folder, name); err != nil {
		return nil, readError(key, err)
	}
	file, err := folder.Open(name)
	if err != nil {
		return nil, readError(key, err)
	}
	return file, nil
}

// readAll reads the file that was opened, which its name may no longer be.
func readAll(file *os.File, limit int64) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%w: %d bytes, the limit is %d", warehouse.ErrTooLarge, info.Size(), limit)
	}
	data := make([]byte, info.Size())
	_, err = io.ReadFull(file, data)
	return data, err
}

// Stat implements [warehouse.Reader].
func (s *Store) Stat(ctx context.Context, key string) (warehouse.Info, error) {
	if err := check(ctx, key); err != nil {
		return warehouse.Info{}, err
	}
	if info, ok := s.quick.stat(key); ok {
		return info, nil
	}
	folder, name, err := s.find(key)
	if err != nil {
		return warehouse.Info{}, err
	}
	defer folder.Close()
	info, err := lstat(folder, name)
	if err != nil {
		return warehouse.Info{}, readError(key, err)
	}
	return infoOf(info), nil
}

func infoOf(info fs.FileInfo) warehouse.Info {
	at := info.ModTime().UnixNano()
	return warehouse.Info{Size: info.Size(), Tag: uint64(at), Modified: at}
}

// check is the start of every call.
func check(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return warehouse.CheckKey(key)
}

// find opens the folder that holds key, which the caller closes.
func (s *Store) find(key string) (folder *os.Root, name string, err error) {
	parent, name := split(key)
	if folder, err = s.openFolder(parent); err != nil {
		return nil, "", readError(key, err)
	}
	return folder, name, nil
}

// split returns the folder of key, "" at the root, and its name there.
func split(key string) (folder, name string) {
	folder, name = path.Split(key)
	return path.Clean("/" + folder)[1:], name
}

// lstat describes the regular file name: another thing is not found, a link
// is ErrLink.
func lstat(folder *os.Root, name string) (fs.FileInfo, error) {
	info, err := folder.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case info.Mode().Type() == fs.ModeSymlink:
		return nil, warehouse.ErrLink
	case !info.Mode().IsRegular():
		return nil, fs.ErrNotExist
	}
	return info, nil
}

// readError says what err means for one who looks for key.
func readError(key string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%w: %q", warehouse.ErrNotFound, key)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fmt.Errorf("%w: %q: %w", warehouse.ErrInvalidKey, key, err)
	}
	return fmt.Errorf("warehouse: read %q: %w", key, err)
}

// writeError says what err means for one who changes key.
func writeError(key string, err error) error {
	switch {
	case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR):
		return fmt.Errorf("%w: %q", warehouse.ErrExists, key)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fmt.Errorf("%w: %q: %w", warehouse.ErrInvalidKey, key, err)
	}
	return fmt.Errorf("warehouse: write %q: %w", key, err)
}

// written is the answer to one who changed key, err being what came of it.
func written(key string, err error) error {
	if err == nil {
		return nil
	}
	return writeError(key, err)
}
