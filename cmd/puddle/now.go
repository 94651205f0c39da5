package main

import (
	"sync"
	"time"

	"puddle/projections/recorder"
)

// steady is a clock that never goes back while the process runs: what is due once
// stays due. A purge that has begun is never taken for one that waits.
type steady struct {
	clock recorder.Clock

	mu   sync.Mutex
	last time.Time // guarded by mu
}

func (s *steady) now() time.Time {
	now := s.clock.Read().Trusted
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.After(s.last) {
		s.last = now
	}
	return s.last
}
