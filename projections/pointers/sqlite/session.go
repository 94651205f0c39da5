package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"puddle/projections/pointers"
)

// session is one connection with the statements it has prepared. One goroutine
// at a time uses it. SQLite's calls are short and are not interrupted: whoever
// has a context asks it before.
type session struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt // by their text
	damaged  *atomic.Bool         // the store's: set when any session finds damage
}

func openSession(ctx context.Context, db *sql.DB, damaged *atomic.Bool) (*session, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, explain(err)
	}
	return &session{conn: conn, prepared: map[string]*sql.Stmt{}, damaged: damaged}, nil
}

func (s *session) prepare(query string) (*sql.Stmt, error) {
	if stmt, ok := s.prepared[query]; ok {
		return stmt, nil
	}
	stmt, err := s.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, s.explain(err)
	}
	s.prepared[query] = stmt
	return stmt, nil
}

func (s *session) exec(query string, args ...any) error {
	stmt, err := s.prepare(query)
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(context.Background(), args...)
	return s.explain(err)
}

// script runs several statements once.
func (s *session) script(text string) error {
	_, err := s.conn.ExecContext(context.Background(), text)
	return s.explain(err)
}

// answer is the one row that a query is to give.
type answer struct {
	session *session
	row     *sql.Row
	err     error
}

func (s *session) row(query string, args ...any) answer {
	stmt, err := s.prepare(query)
	if err != nil {
		return answer{err: err}
	}
	return answer{session: s, row: stmt.QueryRowContext(context.Background(), args...)}
}

func (a answer) scan(into ...any) error {
	if a.err != nil {
		return a.err
	}
	return a.session.explain(a.row.Scan(into...))
}

// find is scan for a row that need not be there.
func (a answer) find(into ...any) (bool, error) {
	err := a.scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// each scans all rows of a query, one after the other, with the function.
func (s *session) each(scan func(*sql.Rows) error, query string, args ...any) error {
	stmt, err := s.prepare(query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(context.Background(), args...)
	if err != nil {
		return s.explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return s.explain(err)
		}
	}
	return s.explain(rows.Err())
}

// list reads names that SQLite has put together, since each row costs more than its
// name. false when the query has no row.
func (s *session) list(query string, args ...any) ([]string, bool, error) {
	var joined sql.NullString
	ok, err := s.row(query, args...).find(&joined)
	if err != nil || !joined.Valid {
		return []string{}, ok, err
	}
	return strings.Split(joined.String, "\x1f"), ok, nil
}

func (s *session) close() error {
	var errs []error
	for _, stmt := range s.prepared {
		errs = append(errs, stmt.Close())
	}
	return s.explain(errors.Join(append(errs, s.conn.Close())...))
}

// fixed scans a blob that has exactly its length, such as a UUID or digest.
type fixed []byte

// Scan implements sql.Scanner.
func (f fixed) Scan(value any) error {
	blob, ok := value.([]byte)
	if !ok || len(blob) != len(f) {
		return fmt.Errorf("%w: a value is not %d bytes", pointers.ErrCorrupt, len(f))
	}
	copy(f, blob)
	return nil
}
