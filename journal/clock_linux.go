package journal

import (
	"time"

	"golang.org/x/sys/unix"
)

// uptime counts on through suspend, unlike the monotonic clock.
func uptime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return time.Since(processStart)
	}
	return time.Duration(ts.Nano())
}

var processStart = time.Now()
