package main

import (
	"sync"
	"time"

	"puddle/projections/recorder"
)

// steady is a clock that never goes back while the process runs: what is due once
// stays due. A purge that has begun is never taken for one that waits.
type steady struct {
	mu    sync.Mutex
	clock recorder.Clock // guarded by mu
	last  time.Time      // guarded by mu
}

// follow has it follow another clock from now on, wherever that stands.
func (s *steady) follow(clock recorder.Clock) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock, s.last = clock, time.Time{}
}

func (s *steady) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Read().Trusted
	if now.After(s.last) {
		s.last = now
	}
	return s.last
}
