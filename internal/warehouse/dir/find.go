package dir

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path"

	"puddle/internal/warehouse"
)

var _ warehouse.Finder = (*Store)(nil)

// Find implements [warehouse.Finder].
func (s *Store) Find(ctx context.Context, wants func(name string) bool) iter.Seq2[warehouse.Entry, error] {
	return func(yield func(warehouse.Entry, error) bool) {
		folder, err := s.openFolder("")
		if err == nil {
			f := finder{lister{ctx: ctx, yield: yield}, wants}
			err = errors.Join(f.find(folder, ""), folder.Close())
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(warehouse.Entry{}, readError("", err))
		}
	}
}

type finder struct {
	lister
	wants func(name string) bool
}

// find yields what is wanted below the open folder key.
func (f finder) find(folder *os.Root, key string) error {
	entries, err := readNames(folder)
	if err != nil {
		return passable(err)
	}
	for _, entry := range entries {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		name, at := entry.Name(), path.Join(key, entry.Name())
		switch {
		case entry.IsDir():
			err = f.enter(folder, name, at)
		case entry.Type().IsRegular() && f.wants(name):
			err = f.file(folder, name, at)
		}
		if err := passable(err); err != nil {
			return err
		}
	}
	return nil
}

func (f finder) enter(parent *os.Root, name, key string) error {
	folder, err := enter(parent, name)
	if err != nil {
		return err
	}
	defer folder.Close()
	return f.find(folder, key)
}

// passable leaves out what is gone or is not to be read.
func passable(err error) error {
	if err == nil || vanished(err) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
