package pointers

import (
	"errors"
	"fmt"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"puddle/projections"
)

// Errors of the file. After ErrSchema and ErrCorrupt the file is good for
// nothing but SetAside.
var (
	// ErrForeign: another program made the file. It is not puddle's to put
	// aside.
	ErrForeign = errors.New("SQLite file belongs to another program")
	// ErrSchema: the file is of another schema version.
	ErrSchema = errors.New("pointer tables have another schema than this build's")
	// ErrCorrupt: the file is damaged or is no database. Any call can find out.
	ErrCorrupt = fmt.Errorf("pointer tables: %w", projections.ErrDamaged)
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("pointer tables are closed")
)

// explain is the package's explain, and remembers that the file is damaged.
func (s *session) explain(err error) error {
	err = explain(err)
	if errors.Is(err, ErrCorrupt) {
		s.damaged.Store(true)
	}
	return err
}

// explain gives SQLite's errors the names that callers ask for: ErrCorrupt, and
// ENOSPC for a full disk.
func explain(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
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
