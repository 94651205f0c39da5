package recorder

import "pgregory.net/rapid"

// SetHot gives a recorder that nobody has used yet hot maps of that size.
func (r *Recorder) SetHot(bytes, shards int) {
	for id := range r.hot {
		r.hot[id] = newHotMap(bytes, shards)
	}
}

// CheckHot compares the parts of the hot maps with each other. Nobody may use them.
func (r *Recorder) CheckHot(tb rapid.TB) { r.hot.check(tb) }

// Lanes is how many lanes a recorder over a Database has.
func (r *Recorder) Lanes() int {
	s := r.backend.(*shared)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.lanes)
}
