//go:build !linux

package journal

import "time"

// uptime counts from the start of the process: close enough to judge a jump of
// the wall clock while it runs.
func uptime() time.Duration { return time.Since(processStart) }

var processStart = time.Now()
