package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers"
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

// Objects holds what they say of their places against the places' own rows.
func (m *moment) Objects() iter.Seq2[projections.HeldObject, error] {
	return func(yield func(projections.HeldObject, error) bool) {
		places := 0
		for r, err := range parts(m, objectOf, objectsByUUID) {
			if err == nil {
				err = m.checkPlaces(r.HeldObject)
			}
			places += len(r.Places)
			if !r.past && !yield(r.HeldObject, err) || err != nil {
				return
			}
		}
		if err := m.checkCount(places); err != nil {
			yield(projections.HeldObject{}, err)
		}
	}
}

const objectsByUUID = `SELECT ` + objectColumns + ` FROM objects WHERE warehouse = ? ORDER BY uuid`

func objectOf(rows *sql.Rows) (objectRow, error) {
	r, err := scanObject(rows.Scan)
	if err != nil {
		return objectRow{}, err
	}
	return *r, nil
}

func (m *moment) checkPlaces(o projections.HeldObject) error {
	for _, p := range o.Places {
		owner, _, err := m.owner(p.Path)
		if err != nil {
			return err
		}
		if owner != o.UUID {
			return fmt.Errorf("%w: the place %s, which %s holds, is another's", pointers.ErrCorrupt, p.Path, o.UUID)
		}
	}
	return nil
}

// checkCount compares how many places objects hold with how many rows there are.
func (m *moment) checkCount(held int) error {
	var rows int
	err := m.row(`SELECT count(*) FROM places WHERE warehouse = ?`, m.id[:]).scan(&rows)
	if err == nil && rows != held {
		err = fmt.Errorf("%w: there are %d places, and objects hold %d", pointers.ErrCorrupt, rows, held)
	}
	return err
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

// Steps are read object by object.
func (m *moment) Steps() iter.Seq2[projections.Step, error] {
	return func(yield func(projections.Step, error) bool) {
		for r, err := range parts(m, objectOf, objectsByUUID) {
			var steps []projections.Step
			if err == nil {
				steps, err = m.stepsTo(r.UUID, r.step, -1)
			}
			if err != nil {
				yield(projections.Step{}, err)
				return
			}
			for _, s := range steps {
				if !yield(s, nil) {
					return
				}
			}
		}
	}
}

// History is one walk over the rows of the warehouse's number.
func (m *moment) History() iter.Seq2[projections.Step, error] {
	return func(yield func(projections.Step, error) bool) {
		err := m.each(func(rows *sql.Rows) error {
			step, err := stepOfRow(rows)
			if err = errors.Join(err, m.ctx.Err()); err != nil {
				return err
			}
			if !yield(step, nil) {
				return errStopped
			}
			return nil
		}, `SELECT objects.uuid, history.what, earlier.what FROM history CROSS JOIN objects ON objects.id = history.object
			LEFT JOIN history AS earlier ON earlier.step = history.before AND earlier.object = history.object
			WHERE history.step BETWEEN ?1 AND ?2 ORDER BY history.step`, m.step>>stepBits<<stepBits, m.step)
		if err != nil && !errors.Is(err, errStopped) {
			yield(projections.Step{}, err)
		}
	}
}

// stepOfRow reads a step, and where it began from the one before.
func stepOfRow(rows *sql.Rows) (projections.Step, error) {
	var object uuid.UUID
	var what, earlier sql.RawBytes
	if err := rows.Scan(fixed(object[:]), &what, &earlier); err != nil {
		return projections.Step{}, err
	}
	step, from, err := pointers.UnpackStep(what)
	if err != nil {
		return step, err
	}
	var before *projections.Step
	if earlier != nil {
		was, _, err := pointers.UnpackStep(earlier)
		if err != nil {
			return step, err
		}
		before = &was
	}
	return step, pointers.BeginStep(&step, object, from, before)
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
