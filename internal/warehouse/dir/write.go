package dir

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"puddle/internal/warehouse"
)

// fileMode is cut down by the umask of the process, as the engines need it.
const fileMode = 0o666

// Create implements [warehouse.Store].
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	_, err := s.write(key, data, link)
	return err
}

// link gives a file its name, unless something has it.
func link(folder *os.Root, temp, name string) error {
	if err := folder.Link(temp, name); err != nil {
		return err
	}
	return folder.Remove(temp)
}

// Stage implements [warehouse.Store]: it is Create where the file system is not
// known to make more of one sync.
func (s *Store) Stage(ctx context.Context, key string, data []byte) (warehouse.Info, error) {
	if err := check(ctx, key); err != nil {
		return warehouse.Info{}, err
	}
	if info, done, err := s.quick.stage(key, data); done {
		return info, written(key, err)
	}
	return s.write(key, data, link)
}

// Put implements [warehouse.Store].
func (s *Store) Put(ctx context.Context, key string, data []byte) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	_, err := s.write(key, data, replace)
	return err
}

// replace gives a file its name, which may be another file's.
func replace(folder *os.Root, temp, name string) error {
	info, err := folder.Lstat(name)
	if err == nil && info.Mode().Type() == fs.ModeSymlink {
		return warehouse.ErrLink
	}
	if err == nil && info.IsDir() {
		return fs.ErrExist
	}
	return folder.Rename(temp, name)
}

// write stores data under a temporary name and lets publish give it its own.
func (s *Store) write(key string, data []byte, publish func(folder *os.Root, temp, name string) error) (info warehouse.Info, err error) {
	parent, name := split(key)
	folder, err := s.folderFor(parent)
	if err != nil {
		return info, writeError(key, err)
	}
	defer folder.Close()
	// The folder is there. A crash here leaves it empty, or undoes it.

	temp := warehouse.TempPrefix + rand.Text()
	if info, err = writeSynced(folder, temp, data); err != nil {
		return info, writeError(key, errors.Join(err, folder.Remove(temp)))
	}
	// The bytes are durable under a name that is no key. A crash leaves it.

	if err := publish(folder, temp, name); err != nil {
		return info, writeError(key, errors.Join(err, folder.Remove(temp)))
	}
	// Every reader sees the new bytes. A crash may still undo that.

	if err := syncFolder(folder); err != nil {
		return info, fmt.Errorf("warehouse: sync the folder of %q: %w", key, err)
	}
	return info, nil
}

// folderFor opens the folder key, which is durable when a name in it is.
func (s *Store) folderFor(key string) (*os.Root, error) {
	if s.quick.make(key) {
		return s.openFolder(key)
	}
	return s.makeFolders(key)
}

// writeSynced creates the file name with data, durable but for its name.
func writeSynced(folder *os.Root, name string, data []byte) (warehouse.Info, error) {
	file, err := folder.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if err != nil {
		return warehouse.Info{}, err
	}
	return writeAll(file, data)
}

// writeAll writes and syncs the new file, and closes it.
func writeAll(file *os.File, data []byte) (warehouse.Info, error) {
	_, err := file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	var is fs.FileInfo
	if err == nil {
		forget(file, len(data))
		is, err = file.Stat()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return warehouse.Info{}, err
	}
	return infoOf(is), nil
}

// Delete implements [warehouse.Store]. It syncs the folder also when the file
// is gone already: an earlier call may have been cut off before it did.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	folder, name, err := s.find(key)
	if errors.Is(err, warehouse.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	_, err = lstat(folder, name)
	if err == nil {
		err = folder.Remove(name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return writeError(key, err)
	}
	if err := syncFolder(folder); err != nil {
		return fmt.Errorf("warehouse: sync the folder of %q: %w", key, err)
	}
	return nil
}
