package pointers

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"puddle/journal"
	"puddle/projections"
)

// moment is a transaction that reads, in a session of its own.
type moment struct {
	*tables
	ctx            context.Context
	db             *DB
	at             journal.Position
	name, location string
}

// Moment begins a transaction. Until it is closed the log is not emptied.
func (w *warehouse) Moment(ctx context.Context) (projections.Moment, error) {
	s, err := w.db.lend(ctx)
	if err != nil {
		return nil, err
	}
	m := &moment{tables: &tables{session: s, id: w.id}, ctx: ctx, db: w.db}
	if err := m.exec("BEGIN"); err != nil {
		w.db.readers <- s
		return nil, err
	}
	if m.at, err = m.cursor(); err == nil {
		m.name, m.location, err = m.about()
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func (m *moment) Cursor() journal.Position { return m.at }

func (m *moment) About() (name, location string) { return m.name, m.location }

func (m *moment) Close() error {
	err := m.exec("ROLLBACK")
	m.db.readers <- m.session
	return err
}

func (m *moment) Namespaces() iter.Seq2[projections.Namespace, error] {
	return parts(m, func(rows *sql.Rows) (n projections.Namespace, err error) {
		var path string
		var properties []byte
		if err := rows.Scan(fixed(n.ID[:]), &path, &properties); err != nil {
			return n, err
		}
		n.Name = journal.NamespaceOfKey(path)
		n.Properties, err = decodeProperties(properties)
		return n, err
	}, `SELECT id, path, properties FROM namespaces WHERE warehouse = ? ORDER BY path`)
}

func (m *moment) Objects() iter.Seq2[projections.HeldObject, error] {
	return parts(m, func(rows *sql.Rows) (o projections.HeldObject, err error) {
		var r objectRow
		if err := rows.Scan(r.into()...); err != nil {
			return o, err
		}
		o = projections.HeldObject{Object: r.object(), Dropped: !r.live()}
		o.Places, err = m.Places(o.UUID)
		return o, err
	}, `SELECT `+objectColumns+` FROM objects WHERE warehouse = ? ORDER BY uuid`)
}

func (m *moment) Purges() iter.Seq2[projections.Purge, error] {
	return parts(m, func(rows *sql.Rows) (projections.Purge, error) {
		var r purgeRow
		if err := rows.Scan(r.into()...); err != nil {
			return projections.Purge{}, err
		}
		return r.purge()
	}, `SELECT `+purgeColumns+` FROM purges WHERE warehouse = ? ORDER BY uuid`)
}

func (m *moment) Steps() iter.Seq2[projections.Step, error] {
	return parts(m, scanStep, `SELECT `+historyColumns+` FROM history WHERE warehouse = ? ORDER BY uuid, seq, move`)
}

// errStopped: the caller of a list wants no more.
var errStopped = errors.New("stopped")

// parts yields what the rows of a query hold, whose only argument is the warehouse.
func parts[P any](m *moment, scan func(*sql.Rows) (P, error), query string) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		err := m.each(func(rows *sql.Rows) error {
			part, err := scan(rows)
			if err = errors.Join(err, m.ctx.Err()); err != nil {
				return err
			}
			if !yield(part, nil) {
				return errStopped
			}
			return nil
		}, query, m.id[:])
		if err != nil && !errors.Is(err, errStopped) {
			var none P
			yield(none, err)
		}
	}
}
