package dir

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// orderedSystems are the file systems where the sync of a file makes durable, with
// the file, every change of names that came before: its own name, and the folders
// on the way to it. POSIX does not ask for that, and fsync(2) warns against it.
//
// ext4 has one journal: its transactions hold all changes of names, are committed
// as a whole and in their order, and fsync waits for the one that last changed the
// inode, as its creation did (kernel documentation, filesystems/ext4/journal; where
// it has no journal it syncs a new file's folders itself). xfs has one log: fsync
// forces it up to the inode's last change, and what comes before in it goes along
// (filesystems/xfs/xfs-delayed-logging-design). On tmpfs nothing is durable.
//
// btrfs and f2fs are not among them: their fsync logs single inodes, and what else
// goes with them is nowhere promised.
var orderedSystems = []string{"ext4", "xfs", "tmpfs"}

// isOrdered reports whether folder is on such a file system. The table of mounts
// tells: the number that statfs answers is the same for ext2 and ext4.
func isOrdered(folder int) bool {
	var info unix.Stat_t
	if err := unix.Fstat(folder, &info); err != nil {
		return false
	}
	mounts, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return false
	}
	defer mounts.Close()
	device := fmt.Sprintf("%d:%d", unix.Major(info.Dev), unix.Minor(info.Dev))
	return slices.Contains(orderedSystems, systemOf(mounts, device))
}

// systemOf finds the type of the file system on a device, "" when it is not there.
// proc(5): "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw".
func systemOf(mounts io.Reader, device string) string {
	lines := bufio.NewScanner(mounts)
	for lines.Scan() {
		mount, system, _ := strings.Cut(lines.Text(), " - ")
		if fields := strings.Fields(mount); len(fields) > 2 && fields[2] == device {
			name, _, _ := strings.Cut(system, " ")
			return name
		}
	}
	return ""
}
