package postgres

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

const selectIncarnations = `SELECT ` + eventColumns + `, i.incarnation, last.seq, last.hash, h.incarnation = i.incarnation
	FROM incarnations i
	JOIN heads h USING (warehouse)
	JOIN events e ON e.warehouse = i.warehouse AND e.incarnation = i.incarnation AND e.seq = i.first,
	LATERAL (SELECT seq, hash FROM events WHERE warehouse = i.warehouse AND incarnation = i.incarnation ORDER BY seq DESC LIMIT 1) AS last
	WHERE i.warehouse = $1 ORDER BY i.first`

// Incarnations implements journal.Journal.
func (db *DB) Incarnations(ctx context.Context, warehouse uuid.UUID) ([]journal.Incarnation, error) {
	floor := db.Floor(warehouse)
	var all []journal.Incarnation
	err := db.Read(ctx, func(conn *pgx.Conn) (err error) {
		rows, _ := conn.Query(ctx, selectIncarnations, warehouse)
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (journal.Incarnation, error) { return scanIncarnation(row, warehouse) })
		return err
	})
	if err != nil {
		return nil, err
	}
	var at journal.Position
	for _, i := range all {
		if i.Current {
			at = i.Head
		}
	}
	return all, db.stands(ctx, warehouse, floor, at)
}

func scanIncarnation(row pgx.Row, warehouse uuid.UUID) (i journal.Incarnation, err error) {
	var seq int64
	var hash []byte
	first, err := scanEvent(row, (*[16]byte)(&i.ID), &seq, &hash, &i.Current)
	if err != nil {
		return i, err
	}
	of := journal.Reading{Warehouse: warehouse, Head: journal.Position{Incarnation: i.ID, Seq: journal.Seq(seq)}}
	if of.Head.Hash, err = digest(hash); err != nil {
		return i, of.Damage(of.Head.Seq, err)
	}
	i.First, i.Head = first.seq, of.Head
	e, err := first.event(of)
	if err == nil {
		i.Parent, err = of.Parent(e)
	}
	return i, err
}
