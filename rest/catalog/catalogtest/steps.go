package catalogtest

import (
	"errors"
	"slices"
	"sync"
)

// ErrInjected is what a step answers that fails.
var ErrInjected = errors.New("injected")

// Fault is how a step fails.
type Fault string

// The faults.
const (
	Before       Fault = "fails before"
	After        Fault = "fails after"   // of an append: unknown, and done
	Lost         Fault = "unknown, lost" // of appends only; other steps fail before
	KilledBefore Fault = "killed before"
	KilledAfter  Fault = "killed after"
)

// Steps sees the steps of a process, counts them, and fails one. A killed process does
// nothing any more. The nil Steps lets everything pass. At and How may be set while no
// step is under way; its methods are safe for concurrent use.
type Steps struct {
	At    int // counted from 1; 0: none
	How   Fault
	Watch func(n int, step string) // may be nil; is called before the step

	mu     sync.Mutex
	done   []string      // guarded by mu
	dead   bool          // guarded by mu
	killed chan struct{} // guarded by mu: closed when it is dead; nil: nobody has asked
}

// Next is asked at every step what becomes of it: "" to pass.
func (s *Steps) Next(step string) Fault {
	if s == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return Before
	}
	s.done = append(s.done, step)
	if s.Watch != nil {
		s.Watch(len(s.done), step)
	}
	if len(s.done) != s.At {
		return ""
	}
	if s.How == KilledBefore || s.How == KilledAfter {
		s.dieLocked()
	}
	return s.How
}

func (s *Steps) dieLocked() {
	s.dead = true
	if s.killed != nil {
		close(s.killed)
	}
}

// Around does a step, or not, and fails it, or not.
func (s *Steps) Around(step string, do func() error) error {
	switch s.Next(step) {
	case "":
		return do()
	case After, KilledAfter:
		if err := do(); err != nil {
			return err
		}
	}
	return ErrInjected
}

// Since is what was done after the first n steps.
func (s *Steps) Since(n int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.done[n:])
}

// Dead tells whether the process was killed.
func (s *Steps) Dead() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead
}

// Killed is closed when the process is.
func (s *Steps) Killed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed == nil {
		s.killed = make(chan struct{})
		if s.dead {
			close(s.killed)
		}
	}
	return s.killed
}

// Hit is the step that failed; "" when none has.
func (s *Steps) Hit() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.At == 0 || s.At > len(s.done) {
		return ""
	}
	return s.done[s.At-1]
}
