package main

import (
	"os"
	"runtime"
)

// waitingForDisk is how many goroutines may wait in system calls, beside one running
// on each processor, before the others have to wait for them.
const waitingForDisk = 2

// moreProcessors lets others run while some sync files: the writer of the journal, and
// who stages a metadata file. The runtime takes a goroutine's processor away from it only
// some time after its system call began, up to ten milliseconds, so that on a small
// machine two syncs kept everybody waiting. What GOMAXPROCS says in the environment stays.
func moreProcessors() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + waitingForDisk)
	}
}
