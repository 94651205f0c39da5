package dir

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"

	"puddle/internal/warehouse"
)

// quick is the short way: a few system calls relative to the root, where the kernel
// itself keeps a path below it and off every link. It only ever succeeds, or fails
// with what the long way would fail with too; of all else it says that it did
// nothing, and the long way decides.
type quick struct {
	root    int  // the root folder
	ordered bool // the root's file system is one of orderedSystems
}

// openQuick returns the short way below root. close lets go of it.
func openQuick(root *os.Root) (quick, error) {
	folder, err := root.Open(".")
	if err != nil {
		return quick{}, err
	}
	defer folder.Close()
	fd, err := unix.FcntlInt(folder.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return quick{}, err
	}
	return quick{root: fd, ordered: isOrdered(fd)}, nil
}

func (q quick) close() { unix.Close(q.root) }

const (
	// below has the kernel refuse links and whatever else leads out of a folder.
	below = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS

	// within refuses what is mounted there as well: only of the root's own file
	// system is it known whether it is ordered.
	within = below | unix.RESOLVE_NO_XDEV

	asFolder = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
)

func openAt(folder int, name string, flags, resolve uint64) (int, error) {
	return unix.Openat2(folder, name, &unix.OpenHow{Flags: flags, Resolve: resolve})
}

// open opens the regular file under key for reading.
func (q quick) open(key string) (*os.File, bool) {
	fd, err := openAt(q.root, key, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, below)
	if err != nil {
		return nil, false
	}
	if _, ok := regular(fd); !ok {
		unix.Close(fd)
		return nil, false
	}
	return os.NewFile(uintptr(fd), key), true
}

// stat describes the regular file under key.
func (q quick) stat(key string) (warehouse.Info, bool) {
	fd, err := openAt(q.root, key, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, below)
	if err != nil {
		return warehouse.Info{}, false
	}
	defer unix.Close(fd)
	return regular(fd)
}

func regular(fd int) (warehouse.Info, bool) {
	var info unix.Stat_t
	err := unix.Fstat(fd, &info)
	return infoOfStat(info), err == nil && info.Mode&unix.S_IFMT == unix.S_IFREG
}

// fit reports that key is a folder, or that nothing stands in the way of it.
func (q quick) fit(key string) bool {
	fd, err := openAt(q.root, key, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, below)
	if err == nil {
		unix.Close(fd)
	}
	return err == nil || errors.Is(err, unix.ENOENT)
}

// makeFolder is MakeFolder on an ordered file system: one sync for all.
func (q quick) makeFolder(key string) (done bool, err error) {
	if !q.ordered {
		return false, nil
	}
	folder, err := q.reach(key)
	if err != nil {
		return false, nil
	}
	defer unix.Close(folder)
	return true, unix.Fsync(folder)
}

// make makes the folder key on an ordered file system, where the next sync of a name
// in it makes it durable.
func (q quick) make(key string) bool {
	if !q.ordered {
		return false
	}
	folder, err := q.reach(key)
	if err == nil {
		unix.Close(folder)
	}
	return err == nil
}

// stage is Stage on an ordered file system: the file is written under its own name,
// whose sync is then the only one. Not without a name first (O_TMPFILE): an ext4 with
// fast commits comes out of a crash without such a file, or not at all.
func (q quick) stage(key string, data []byte) (info warehouse.Info, done bool, err error) {
	if !q.ordered {
		return info, false, nil
	}
	fd, err := q.create(key)
	if err != nil {
		return info, errors.Is(err, unix.EEXIST), err
	}
	// The name is seen, and nobody looks at it. A crash from here on leaves nothing,
	// or the file with a part of the bytes, perhaps none.

	info, err = fill(fd, data)
	if err != nil {
		err = errors.Join(err, q.unlink(key))
	}
	return info, true, err
}

// create makes the file key, and the folders above it where they are missing.
func (q quick) create(key string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_CREAT | unix.O_EXCL | unix.O_WRONLY | unix.O_CLOEXEC, Mode: fileMode, Resolve: within}
	fd, err := unix.Openat2(q.root, key, &how)
	if !errors.Is(err, unix.ENOENT) {
		return fd, err
	}
	parent, _ := split(key)
	folder, err := q.reach(parent)
	if err != nil {
		return 0, err
	}
	unix.Close(folder)
	return unix.Openat2(q.root, key, &how)
}

// unlink removes the name of a file that was just made.
func (q quick) unlink(key string) error {
	parent, name := split(key)
	folder, err := openAt(q.root, path.Join(".", parent), asFolder, within)
	if err != nil {
		return err
	}
	defer unix.Close(folder)
	return unix.Unlinkat(folder, name, 0)
}

// fill is writeAll of a bare descriptor: an os.File costs more than its calls do.
func fill(fd int, data []byte) (info warehouse.Info, err error) {
	for rest := data; len(rest) > 0 && err == nil; {
		var n int
		if n, err = again(func() (int, error) { return unix.Write(fd, rest) }); err == nil {
			rest = rest[n:]
		}
	}
	if err == nil {
		_, err = again(func() (int, error) { return 0, unix.Fsync(fd) })
	}
	if err == nil && len(data) >= forgetFrom {
		forgetPages(fd)
	}
	var is unix.Stat_t
	if err == nil {
		err = unix.Fstat(fd, &is)
	}
	return infoOfStat(is), errors.Join(err, unix.Close(fd))
}

// again repeats a call that a signal ended before it did anything.
func again(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

func infoOfStat(is unix.Stat_t) warehouse.Info {
	return warehouse.Info{Size: is.Size, Tag: uint64(is.Mtim.Nano()), Modified: is.Mtim.Nano()}
}

// reach opens the folder key and makes what is missing of it. Nothing is synced.
func (q quick) reach(key string) (int, error) {
	if key == "" {
		return openAt(q.root, ".", asFolder, within)
	}
	fd, err := openAt(q.root, key, asFolder, within)
	if !errors.Is(err, unix.ENOENT) {
		return fd, err
	}
	up, name := path.Split(key)
	parent, err := q.reach(path.Clean("/" + up)[1:])
	if err != nil {
		return 0, err
	}
	defer unix.Close(parent)
	if err := unix.Mkdirat(parent, name, folderMode); err != nil && !errors.Is(err, unix.EEXIST) {
		return 0, err
	}
	return openAt(parent, name, asFolder, within)
}
