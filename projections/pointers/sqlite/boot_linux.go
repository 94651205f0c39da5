package sqlite

import (
	"os"
	"strings"
)

// BootID is the id that the running kernel took when it started; empty when it
// cannot be read.
func BootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
