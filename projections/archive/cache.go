package archive

import (
	"container/list"
	"sync"
)

// cacheBytes is how much of the segments that were read last is kept: those of a
// chain of patches, of which each may lie in another one.
const cacheBytes = 32 << 20

// cache keeps objects that were read and checked, the newest ones.
type cache struct {
	mu    sync.Mutex
	size  int
	order *list.List // of cached, the newest first; guarded by mu
	found map[string]*list.Element
}

type cached struct {
	key    string
	object any // *segment or documents
	size   int
}

func newCache() cache { return cache{order: list.New(), found: map[string]*list.Element{}} }

func (c *cache) get(key string) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.found[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(cached).object, true
}

// put keeps an object, and drops the oldest ones that there is no room for.
func (c *cache) put(key string, object any, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.found[key]; ok || size > cacheBytes {
		return
	}
	c.found[key] = c.order.PushFront(cached{key, object, size})
	for c.size += size; c.size > cacheBytes; {
		last := c.order.Remove(c.order.Back()).(cached)
		delete(c.found, last.key)
		c.size -= last.size
	}
}
