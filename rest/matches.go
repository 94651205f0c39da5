package rest

import "sync"

// Bounds of matches: what is kept takes a few megabytes, and no more than ten or so
// whatever clients send.
const (
	maxMatches   = 8192 // paths
	maxMatchPath = 512  // bytes of one
)

// matches keeps where paths led that were asked for lately. A match depends on its
// path alone, so that none can be stale. It tells nothing of what exists. Safe for
// concurrent use; the zero value is ready.
type matches struct {
	mu    sync.RWMutex
	young map[string]*match // guarded by mu
	old   map[string]*match // guarded by mu: what was young when there was no more room
}

func (m *matches) find(path string) *match {
	m.mu.RLock()
	found, again := m.young[path], (*match)(nil)
	if found == nil {
		again = m.old[path]
	}
	m.mu.RUnlock()
	if again != nil {
		m.keep(again)
		return again
	}
	return found
}

// keep lets go of what nobody asked for since as many others were kept as there
// is room for half of.
func (m *matches) keep(found *match) {
	if len(found.path) > maxMatchPath {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.young == nil || len(m.young) >= maxMatches/2 {
		m.young, m.old = map[string]*match{}, m.young
	}
	m.young[found.path] = found
}
