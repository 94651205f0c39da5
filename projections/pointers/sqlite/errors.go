package sqlite

import (
	"errors"
	"fmt"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"puddle/projections/pointers"
)

// ErrForeign: another program made the file. It is not puddle's to put aside. After
// pointers.ErrSchema and pointers.ErrCorrupt it is good for nothing but SetAside.
var ErrForeign = errors.New("SQLite file belongs to another program")

// explain is the package's explain, and remembers that the file is damaged.
func (s *session) explain(err error) error {
	err = explain(err)
	if errors.Is(err, pointers.ErrCorrupt) {
		s.damaged.Store(true)
	}
	return err
}

// explain gives SQLite's errors the names that callers ask for: pointers.ErrCorrupt, and
// ENOSPC for a full disk.
func explain(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", pointers.ErrCorrupt, err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("pointer tables: %w: %w", syscall.ENOSPC, err)
	}
	return fmt.Errorf("pointer tables: %w", err)
}

// isPlain tells an error in what was asked from one of the file.
func isPlain(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code() == sqlite3.SQLITE_ERROR
}
