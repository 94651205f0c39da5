package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers"
)

// moment is a transaction that reads, on a connection of its own.
type moment struct {
	*warehouse
	ctx            context.Context
	conn           *pgxpool.Conn
	tx             pgx.Tx
	at             journal.Position
	name, location []byte
}

const (
	// The server ends transactions in which nothing happens. This one holds nothing up.
	keepIdle = `SET LOCAL idle_in_transaction_session_timeout = 0`
	askAbout = `SELECT ` + standingColumns + `, c.name, c.location` + fromStanding
)

// Moment begins a transaction, wherever the tables stand. Until it is closed it keeps a
// connection, and the server what is deleted meanwhile.
func (w *warehouse) Moment(ctx context.Context) (_ projections.Moment, err error) {
	if err := w.store.usable(ctx); err != nil {
		return nil, err
	}
	m := &moment{warehouse: w, ctx: ctx}
	if m.conn, err = w.store.db.Acquire(ctx); err != nil {
		return nil, err
	}
	var at standing
	m.tx, err = m.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		m.conn.Release()
		return nil, w.store.db.Said(ctx, err)
	}
	if _, err = m.tx.Exec(ctx, keepIdle); err == nil {
		err = m.tx.QueryRow(ctx, askAbout, [16]byte(w.id)).Scan(append(at.into(), &m.name, &m.location)...)
	}
	if err == nil {
		err = w.store.checkSchema(int(at.version))
	}
	if err != nil {
		return nil, errors.Join(w.store.explain(ctx, w.store.db.Said(ctx, err)), m.Close())
	}
	m.at = at.position()
	return m, nil
}

func (m *moment) Cursor() journal.Position { return m.at }

func (m *moment) About() (name, location string) { return string(m.name), string(m.location) }

// Close ends a transaction that has written nothing: it cannot fail to.
func (m *moment) Close() error {
	_ = m.tx.Rollback(context.WithoutCancel(m.ctx))
	m.conn.Release()
	return nil
}

// fetched is how many rows of a part are in memory.
const fetched = 1000

// parts yields what the rows of a query hold, whose only argument is the warehouse. The
// connection is free while a part is looked at.
func parts[P any](m *moment, sql string, scan func(pgx.Row) (P, error)) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		var none P
		if err := m.ctx.Err(); err != nil {
			yield(none, err)
			return
		}
		cursor := pgx.Identifier{"part " + uuid.NewString()}.Sanitize()
		if _, err := m.tx.Exec(m.ctx, `DECLARE `+cursor+` NO SCROLL CURSOR FOR `+sql, pgx.QueryExecModeExec, m.id); err != nil {
			yield(none, m.store.db.Said(m.ctx, err))
			return
		}
		defer func() { _, _ = m.tx.Exec(m.ctx, `CLOSE `+cursor, pgx.QueryExecModeExec) }() // else the transaction's end does
		for {
			rows, _ := m.tx.Query(m.ctx, fmt.Sprint(`FETCH `, fetched, ` FROM `, cursor), pgx.QueryExecModeDescribeExec)
			page, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (P, error) { return scan(row) })
			for _, part := range page {
				if ended := m.ctx.Err(); ended != nil || !yield(part, nil) {
					if ended != nil {
						yield(none, ended)
					}
					return
				}
			}
			if err != nil {
				yield(none, m.store.db.Said(m.ctx, err))
			}
			if err != nil || len(page) < fetched {
				return
			}
		}
	}
}

func (m *moment) Namespaces() iter.Seq2[projections.Namespace, error] {
	return parts(m, `SELECT `+namespaceColumns+` FROM namespaces WHERE warehouse = $1 ORDER BY path`, scanNamespace)
}

const objectsByUUID = `SELECT ` + objectColumns + ` FROM objects WHERE warehouse = $1 ORDER BY uuid`

// Objects holds what they say of their places against the places' own rows.
func (m *moment) Objects() iter.Seq2[projections.HeldObject, error] {
	return func(yield func(projections.HeldObject, error) bool) {
		places := 0
		scan := func(row pgx.Row) (*object, error) { return new(objectRow).scan(row) }
		for o, err := range parts(m, objectsByUUID, scan) {
			if err != nil {
				yield(projections.HeldObject{}, err)
				return
			}
			places += len(o.Places)
			if !o.past && !yield(o.HeldObject, nil) {
				return
			}
		}
		if err := m.checkPlaces(places); err != nil {
			yield(projections.HeldObject{}, err)
		}
	}
}

// countPlaces counts rows, and those of objects that are not live.
const countPlaces = `SELECT count(*), count(*) FILTER (WHERE o.uuid IS NULL)
	FROM places p LEFT JOIN objects o ON o.warehouse = p.warehouse AND o.uuid = p.uuid AND o.state = 1 WHERE p.warehouse = $1`

// checkPlaces compares how many places objects hold with how many rows there are.
func (m *moment) checkPlaces(held int) error {
	var rows, lost int
	err := m.tx.QueryRow(m.ctx, countPlaces, m.id).Scan(&rows, &lost)
	if err == nil && (rows != held || lost > 0) {
		err = fmt.Errorf("%w: there are %d places, %d of nobody, and objects hold %d", pointers.ErrCorrupt, rows, lost, held)
	}
	return err
}

func (m *moment) Purges() iter.Seq2[projections.Purge, error] {
	return parts(m, `SELECT `+purgeColumns+` FROM purges WHERE warehouse = $1 ORDER BY uuid`, func(row pgx.Row) (projections.Purge, error) {
		var r purgeRow
		if err := row.Scan(r.into()...); err != nil {
			return projections.Purge{}, err
		}
		return r.purge()
	})
}

// Steps follow each other object by object.
func (m *moment) Steps() iter.Seq2[projections.Step, error] {
	var last uuid.UUID
	var before *projections.Step
	return parts(m, `SELECT object, what FROM history WHERE warehouse = $1 ORDER BY object, step`, func(row pgx.Row) (projections.Step, error) {
		var object uuid.UUID
		var what []byte
		if err := row.Scan((*[16]byte)(&object), &what); err != nil {
			return projections.Step{}, err
		}
		if object != last {
			last, before = object, nil
		}
		step, err := unpackStep(object, what, before)
		before = &step
		return step, err
	})
}

// History is in the order of the steps' numbers.
func (m *moment) History() iter.Seq2[projections.Step, error] {
	const inOrder = `SELECT object, what, earlier FROM (SELECT object, step, what, lag(what) OVER (PARTITION BY object ORDER BY step) AS earlier
		FROM history WHERE warehouse = $1) AS steps ORDER BY step`
	return parts(m, inOrder, func(row pgx.Row) (projections.Step, error) {
		var object uuid.UUID
		var what, earlier []byte
		if err := row.Scan((*[16]byte)(&object), &what, &earlier); err != nil {
			return projections.Step{}, err
		}
		var before *projections.Step
		if earlier != nil {
			was, _, err := pointers.UnpackStep(earlier)
			if err != nil {
				return was, err
			}
			before = &was
		}
		return unpackStep(object, what, before)
	})
}
