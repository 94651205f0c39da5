package catalog

import (
	"context"
	"slices"
	"sync"

	"github.com/google/uuid"
)

// maxSpared bounds how many spared files are remembered, of all tables.
const maxSpared = 1 << 16

// spared remembers outdated files that a commit left for a later one to remove. It
// is lost with the process; then they stay, and harm nobody. Safe for concurrent
// use; the zero value is ready.
type spared struct {
	mu    sync.Mutex
	of    map[uuid.UUID][]string // guarded by mu; oldest first
	files int                    // guarded by mu: of all tables
}

// take gives the files of a table, and forgets them.
func (s *spared) take(table uuid.UUID) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takeLocked(table)
}

func (s *spared) takeLocked(table uuid.UUID) []string {
	files := s.of[table]
	delete(s.of, table)
	s.files -= len(files)
	return files
}

// add remembers more files of a table, of too many the newest. It forgets those of
// others, any of them, to make room.
func (s *spared) add(table uuid.UUID, files []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(files) == 0 {
		return
	}
	files = slices.Concat(s.takeLocked(table), files)
	files = files[max(0, len(files)-maxOutdated):]
	for other := range s.of {
		if s.files+len(files) <= maxSpared {
			break
		}
		s.takeLocked(other)
	}
	if s.of == nil {
		s.of = map[uuid.UUID][]string{}
	}
	s.of[table] = files
	s.files += len(files)
}

// spare leaves out of a step's old files, which are in the order in which they
// were current, the one that the table's history would be found by and all after
// it: it is about to be one of these. They are remembered (case 127).
func (c *Catalog) spare(ctx context.Context, s step, old []string) []string {
	if c.Named == nil || len(old) == 0 {
		return old
	}
	named, err := c.Named(ctx, s.doc.UUID())
	gone := 0
	switch at := slices.Index(old, named); {
	case err != nil:
	case at >= 0:
		gone = at
	case s.follows(named):
		gone = len(old)
	}
	c.spared.add(s.doc.UUID(), old[gone:])
	return old[:gone]
}

// follows tells whether a file is one that is no older than those which a step lets
// fall out of the log: of its versions, or of their logs.
func (s step) follows(file string) bool {
	if file == s.doc.MetadataLocation() || file == s.base.MetadataLocation() {
		return true
	}
	for _, entry := range s.doc.MetadataLog() {
		if entry.Location == file {
			return true
		}
	}
	return false
}
