package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

const selectHistories = `SELECT ` + eventColumns + `, i.warehouse, i.incarnation, last.seq, last.hash, h.incarnation = i.incarnation,
		(SELECT coalesce(sum(octet_length(prev) + octet_length(hash) + octet_length(record)), 0)
			FROM events o WHERE o.warehouse = i.warehouse AND o.incarnation = i.incarnation)
		+ (SELECT coalesce(sum(octet_length(data)), 0) FROM documents o WHERE o.warehouse = i.warehouse AND o.incarnation = i.incarnation)
		+ (SELECT coalesce(sum(octet_length(key) + octet_length(answer)), 0) FROM requests o WHERE o.warehouse = i.warehouse AND o.incarnation = i.incarnation)
	FROM incarnations i
	JOIN heads h USING (warehouse)
	JOIN events e ON e.warehouse = i.warehouse AND e.incarnation = i.incarnation AND e.seq = i.first,
	LATERAL (SELECT seq, hash FROM events WHERE warehouse = i.warehouse AND incarnation = i.incarnation ORDER BY seq DESC LIMIT 1) AS last
	ORDER BY i.warehouse, i.first`

// histories lists all incarnations of all warehouses, the older first.
func (db *DB) histories(ctx context.Context) (all []journal.History, err error) {
	err = db.Read(ctx, func(conn *pgx.Conn) (err error) {
		rows, _ := conn.Query(ctx, selectHistories)
		all, err = pgx.CollectRows(rows, scanHistory)
		return err
	})
	return all, err
}

func scanHistory(row pgx.CollectableRow) (h journal.History, err error) {
	var seq int64
	var hash []byte
	first, err := scanEvent(row, (*[16]byte)(&h.Warehouse), (*[16]byte)(&h.Incarnation), &seq, &hash, &h.Current, &h.Bytes)
	if err != nil {
		return h, err
	}
	h.Head = journal.Position{Incarnation: h.Incarnation, Seq: journal.Seq(seq)}
	of := journal.Reading{Warehouse: h.Warehouse, Head: h.Head}
	if h.Head.Hash, err = digest(hash); err != nil {
		return h, of.Damage(h.Head.Seq, err)
	}
	e, err := first.event(of)
	if b, ok := e.Body.(journal.IncarnationStarted); ok {
		h.Name = b.Name
	}
	h.Events = int64(h.Head.Seq-first.seq) + 1
	return h, err
}
