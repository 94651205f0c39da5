package dir

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"puddle/internal/warehouse"
)

// List implements [warehouse.Reader]. It holds the names of one folder a level
// in memory. Links, temporary files, what is no regular file and names that
// are no keys are not listed.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[warehouse.Entry, error] {
	return func(yield func(warehouse.Entry, error) bool) {
		prefix, err := warehouse.CleanPrefix(prefix)
		if err != nil {
			yield(warehouse.Entry{}, err)
			return
		}
		folder, err := s.openFolder(prefix)
		if err != nil {
			if err := readError(prefix, err); !errors.Is(err, warehouse.ErrNotFound) {
				yield(warehouse.Entry{}, err)
			}
			return
		}
		defer folder.Close()
		l := lister{ctx: ctx, yield: yield}
		if err := l.list(folder, prefix); err != nil && !errors.Is(err, errStopped) {
			yield(warehouse.Entry{}, readError(prefix, err))
		}
	}
}

// errStopped: the caller of a list wants no more.
var errStopped = errors.New("stopped")

type lister struct {
	ctx   context.Context
	yield func(warehouse.Entry, error) bool
}

// list yields what is below the open folder key.
func (l lister) list(folder *os.Root, key string) error {
	entries, err := readNames(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		at := path.Join(key, entry.Name())
		if warehouse.CheckKey(at) != nil {
			continue
		}
		if entry.IsDir() {
			err = l.descend(folder, entry.Name(), at)
		} else {
			err = l.file(folder, entry.Name(), at)
		}
		if err != nil && !vanished(err) {
			return err
		}
	}
	return nil
}

func (l lister) descend(parent *os.Root, name, key string) error {
	folder, err := enter(parent, name)
	if err != nil {
		return err
	}
	defer folder.Close()
	return l.list(folder, key)
}

func (l lister) file(folder *os.Root, name, key string) error {
	info, err := lstat(folder, name)
	if err != nil {
		return err
	}
	if !l.yield(warehouse.Entry{Key: key, Info: infoOf(info)}, nil) {
		return errStopped
	}
	return nil
}

// vanished: what a folder named is no file or folder to list, or no longer.
func vanished(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, warehouse.ErrLink) || errors.Is(err, syscall.ENOTDIR)
}

// readNames returns the entries of folder in the order of the keys below it: a
// folder's keys continue with a slash.
func readNames(folder *os.Root) ([]fs.DirEntry, error) {
	file, err := folder.Open(".")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	entries, err := file.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(sortKey(a), sortKey(b)) })
	return entries, nil
}

func sortKey(entry fs.DirEntry) string {
	if entry.IsDir() {
		return entry.Name() + "/"
	}
	return entry.Name()
}
