package dir

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"puddle/internal/warehouse"
)

var _ warehouse.Odd = (*Store)(nil)

// Oddities implements [warehouse.Odd].
func (s *Store) Oddities(ctx context.Context, prefix string) ([]warehouse.Oddity, error) {
	prefix, err := warehouse.CleanPrefix(prefix)
	if err != nil {
		return nil, err
	}
	folder, err := s.openFolder(prefix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, readError(prefix, err)
	}
	entries, err := readNames(folder)
	if err := errors.Join(err, folder.Close(), ctx.Err()); err != nil {
		return nil, readError(prefix, err)
	}
	var odd []warehouse.Oddity
	for _, entry := range entries {
		if what := oddity(entry, path.Join(prefix, entry.Name())); what != "" {
			odd = append(odd, warehouse.Oddity{Name: entry.Name(), What: what})
		}
	}
	return odd, nil
}

// oddity says what is odd about an entry; empty: nothing.
func oddity(entry fs.DirEntry, key string) string {
	switch kind := entry.Type(); {
	case strings.HasPrefix(entry.Name(), warehouse.TempPrefix):
		return ""
	case kind&fs.ModeSymlink != 0:
		return "a link"
	case kind.IsDir():
		return "a folder"
	case !kind.IsRegular():
		return "no file"
	case warehouse.CheckKey(key) != nil:
		return "a file whose name is no key"
	}
	return ""
}
