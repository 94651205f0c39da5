package dir

import (
	"os"

	"golang.org/x/sys/unix"
)

// forgetFrom is the size in bytes from which a file's pages are worth the call.
const forgetFrom = 256 << 10

// forget lets go of the kernel's copy of a synced file. Its pages serve the next
// file at once: taking fresh ones for each costs more CPU time than all else that
// a write does, and pushes out what is read. Who reads the file brings it back.
// This is advice: what fails changes nothing.
func forget(file *os.File, size int) {
	if size < forgetFrom {
		return
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { forgetPages(int(fd)) })
}

func forgetPages(fd int) { _ = unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED) }
