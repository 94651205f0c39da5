package postgres

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"puddle/journal"
	journalpg "puddle/journal/postgres"
)

// standing is where the tables of a warehouse stand, as each answer says it.
type standing struct {
	version     int32
	incarnation pgtype.UUID
	seq         pgtype.Int8
	hash        []byte
}

func (s *standing) into() []any { return []any{&s.version, &s.incarnation, &s.seq, &s.hash} }

// position is zero where nothing was applied.
func (s *standing) position() (p journal.Position) {
	if s.incarnation.Valid {
		p.Incarnation, p.Seq = s.incarnation.Bytes, journal.Seq(s.seq.Int64)
		copy(p.Hash[:], s.hash)
	}
	return p
}

// standingColumns and fromStanding answer for the warehouse $1, whatever it holds.
const (
	standingColumns = `v.version, c.incarnation, c.seq, c.hash`
	fromStanding    = ` FROM pointers v LEFT JOIN cursor c ON c.warehouse = $1`
)

// fresh is a query for rows that come with where the tables stand. Where there is none
// comes one row whose columns are NULL.
func fresh(columns, rows string) string {
	return `SELECT ` + standingColumns + `, ` + columns + fromStanding + ` LEFT JOIN LATERAL (` + rows + `) AS r ON true`
}

// answer is what a query of the kind of fresh says: a value for each row. It is of the
// tables of this build, and at least as new as what this process has seen committed
// before it asked.
func answer[V any](ctx context.Context, w *warehouse, sql string, scan func(pgx.Row, *standing) (V, bool, error), args ...any) (all []V, err error) {
	floor := w.store.db.Floor(w.id)
	var at standing
	err = w.store.read(ctx, func(conn *pgx.Conn) error {
		all = nil
		rows, _ := conn.Query(ctx, sql, append([]any{[16]byte(w.id)}, args...)...)
		defer rows.Close()
		for rows.Next() {
			v, there, err := scan(rows, &at)
			if err != nil {
				return err
			}
			if there {
				all = append(all, v)
			}
		}
		return rows.Err()
	})
	if err == nil {
		err = w.check(ctx, &at, floor)
	}
	if err != nil {
		return nil, w.store.explain(ctx, err)
	}
	return all, nil
}

// one is answer for a query of at most one row.
func one[V any](ctx context.Context, w *warehouse, sql string, scan func(pgx.Row, *standing) (V, bool, error), args ...any) (v V, ok bool, err error) {
	all, err := answer(ctx, w, sql, scan, args...)
	if len(all) == 0 {
		return v, false, err
	}
	return all[0], true, err
}

// check refuses what was read from tables of another build, or that are older than this
// process knows: then either they alone are, which is ErrBehind, or the database is.
func (w *warehouse) check(ctx context.Context, at *standing, floor journal.Position) error {
	if err := w.store.checkSchema(int(at.version)); err != nil {
		return err
	}
	p := at.position()
	err := w.store.db.CheckFloor(ctx, w.id, floor, p)
	if errors.Is(err, journalpg.ErrWentBack) {
		head, err := w.store.db.Warehouse(w.id).Head(ctx)
		if err == nil {
			err = behind(p, head)
		}
		return err
	}
	if err == nil && !floor.IsZero() && !p.IsZero() {
		w.store.db.Saw(w.id, p)
	}
	return err
}

// scanUUID scans one that may be NULL.
func scanUUID(row pgx.Row, at *standing) (uuid.UUID, bool, error) {
	var id pgtype.UUID
	err := row.Scan(append(at.into(), &id)...)
	return id.Bytes, id.Valid, err
}

// scanBytes scans what may be NULL.
func scanBytes(row pgx.Row, at *standing) ([]byte, bool, error) {
	var data []byte
	err := row.Scan(append(at.into(), &data)...)
	return data, data != nil, err
}
