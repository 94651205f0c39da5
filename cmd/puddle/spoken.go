package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// spoken writes progress lines, at most one a second, whoever says them.
type spoken struct {
	w io.Writer

	mu   sync.Mutex
	next time.Time // guarded by mu: no line before
}

func newSpoken(w io.Writer) *spoken { return &spoken{w: w, next: time.Now().Add(time.Second)} }

func (s *spoken) say(format string, args ...any) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Before(s.next) {
		return
	}
	s.next = now.Add(time.Second)
	fmt.Fprintf(s.w, "puddle: "+format+"\n", args...)
}
