package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// leastHeap is up to how many bytes the heap may grow before garbage is collected,
// however little of it is in use. With what SQLite holds the process stays below 150 MB.
const leastHeap = 80 << 20

// usualGarbage is how much of it there may be beside what is in use, in percent.
const usualGarbage = 100

// collector says when garbage is collected: when the heap has twice what is in use, as
// always in Go, but not before it has leastHeap. A catalog holds little, and a commit
// leaves 80 KB: marking all that is in use every few hundred of them cost more than the
// journal does. Safe for concurrent use.
type collector struct {
	mu    sync.Mutex
	ended bool // guarded by mu: nothing is said any more
}

// rarerCollections begins to say so. What GOGC or GOMEMLIMIT say in the environment stays.
func rarerCollections() *collector {
	c := &collector{ended: os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != ""}
	c.pace()
	return c
}

// end lets all be as usual. Idempotent.
func (c *collector) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		debug.SetGCPercent(usualGarbage)
	}
	c.ended = true
}

// pace says how much garbage there may be until the next collection, and has itself
// called after that: then a mark is gone.
func (c *collector) pace() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	debug.SetGCPercent(garbage(inUse()))
	runtime.AddCleanup(new(mark), func(c *collector) { c.pace() }, c)
}

// mark is what nobody holds. It has a pointer, so that it shares its memory with nothing.
type mark struct{ _ *mark }

// inUse is what the last collection left, in bytes, and what it began from beside: stacks
// and variables, which may have garbage in proportion too.
func inUse() (live, roots uint64) {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64(), samples[1].Value.Uint64() + samples[2].Value.Uint64()
}

// leastOfGo is the heap, in bytes, below which Go collects nothing at 100 percent; at more
// it is more in proportion, whatever is in use.
const leastOfGo = 4 << 20

// garbage is how much there may be, in percent of what is in use.
func garbage(live, roots uint64) int {
	spare := leastHeap - min(live, leastHeap)
	return int(max(usualGarbage, spare*100/max(live+roots, leastOfGo)))
}
