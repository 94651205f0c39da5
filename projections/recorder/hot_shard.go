package recorder

import (
	"sync"
	"sync/atomic"
)

// hotShard is a part of a hot map, bounded for itself. What was not asked for
// since the hand came by last makes room for what comes (the clock algorithm).
type hotShard struct {
	mu     sync.RWMutex
	writes uint64 // odd: a group is moving names of the shard
	held   map[uint64]*hotEntry
	ring   []*hotEntry // the held ones
	hand   int         // in the ring
	bytes  int         // of the held ones; at most limit
	limit  int

	hits, misses atomic.Uint64
}

func (s *hotShard) find(hash uint64) (e *hotEntry, writes uint64) {
	s.mu.RLock()
	e, writes = s.held[hash], s.writes
	s.mu.RUnlock()
	if e != nil && !e.used.Load() {
		e.used.Store(true)
	}
	return e, writes
}

// fill keeps what was read from the tables after find answered writes, unless a
// group has begun to move names of the shard since then: what was read may be
// older than what that group leaves.
func (s *hotShard) fill(hash uint64, e *hotEntry, writes uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if writes != s.writes || writes%2 == 1 || s.held[hash] != nil {
		return
	}
	s.put(hash, e)
}

// shut forgets a name that a group is about to move, and keeps out what is read
// until settle: nobody knows whether that is of before or of after.
func (s *hotShard) shut(hash uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes |= 1
	s.remove(hash)
}

// settle keeps what the group has left of the name; nil when nobody has it.
func (s *hotShard) settle(hash uint64, e *hotEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = (s.writes | 1) + 1
	s.remove(hash)
	if e != nil {
		s.put(hash, e)
	}
}

func (s *hotShard) empty() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = (s.writes | 1) + 1
	clear(s.held)
	s.ring, s.hand, s.bytes = nil, 0, 0
}

// put makes room and keeps e, whose hash is free. One that would take much of the
// room is not kept.
func (s *hotShard) put(hash uint64, e *hotEntry) {
	if e.bytes() > s.limit/4 {
		return
	}
	for s.bytes+e.bytes() > s.limit {
		s.hand %= len(s.ring)
		if old := s.ring[s.hand]; old.used.Swap(false) {
			s.hand++
		} else {
			s.remove(old.hash)
		}
	}
	e.hash, e.at = hash, int32(len(s.ring))
	s.held[hash], s.ring = e, append(s.ring, e)
	s.bytes += e.bytes()
}

// remove gives the place in the ring to the last one.
func (s *hotShard) remove(hash uint64) {
	e := s.held[hash]
	if e == nil {
		return
	}
	delete(s.held, hash)
	last := len(s.ring) - 1
	moved := s.ring[last]
	s.ring[e.at], moved.at = moved, e.at
	s.ring[last] = nil
	s.ring = s.ring[:last]
	s.bytes -= e.bytes()
}

func (s *hotShard) addTo(all *HotStats) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all.Hits += s.hits.Load()
	all.Misses += s.misses.Load()
	all.Objects += len(s.ring)
	all.Bytes += s.bytes
}
