package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// spareGarbage is how much garbage there may be, in percent of what is in use, and
// usualGarbage how much of it as always in Go. A catalog holds little, and a commit leaves
// 80 KB: marking all that is in use every few hundred of them cost more than the journal does.
const (
	spareGarbage = 500
	usualGarbage = 100
)

// goMemory is how many bytes all of it is to stay below. With what SQLite holds, twice
// its caches, the process then stays below 150 MB.
const goMemory = 120 << 20

// collector says when garbage is collected: seldom, but always before there is more than
// goMemory. Safe for concurrent use.
type collector struct {
	mu    sync.Mutex
	ended bool // guarded by mu: nothing is said any more
}

// rarerCollections begins to say so. What GOGC or GOMEMLIMIT say in the environment stays.
func rarerCollections() *collector {
	c := &collector{ended: os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != ""}
	if !c.ended {
		debug.SetGCPercent(spareGarbage)
	}
	c.pace()
	return c
}

// end lets all be as usual. Idempotent.
func (c *collector) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		debug.SetGCPercent(usualGarbage)
		debug.SetMemoryLimit(math.MaxInt64)
	}
	c.ended = true
}

// pace says how much memory there may be until the next collection, and has itself called
// after that: then a mark is gone. Called late it costs collections, and no memory.
func (c *collector) pace() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	if now := limit(inUse()); now != debug.SetMemoryLimit(-1) { // setting it stops the world
		debug.SetMemoryLimit(now)
	}
	runtime.AddCleanup(new(mark), func(c *collector) { c.pace() }, c)
}

// mark is what nobody holds. It has a pointer, so that it shares its memory with nothing.
type mark struct{ _ *mark }

// inUse is what the last collection left, in bytes.
func inUse() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// limit is the memory that there may be: goMemory, or more where that is in use, since
// below what is in use collections would never end.
func limit(live int64) int64 { return max(goMemory, 2*live-goMemory/8) }
