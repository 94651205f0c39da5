package postgres

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Headless lists the warehouses of which there are incarnations and no head: its row was
// deleted, and Warehouses does not know them.
func (db *DB) Headless(ctx context.Context) (ids []uuid.UUID, err error) {
	err = db.Read(ctx, func(conn *pgx.Conn) (err error) {
		rows, _ := conn.Query(ctx, `SELECT DISTINCT warehouse FROM incarnations i
			WHERE NOT EXISTS (SELECT FROM heads h WHERE h.warehouse = i.warehouse) ORDER BY warehouse`)
		ids, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (id uuid.UUID, err error) {
			return id, row.Scan((*[16]byte)(&id))
		})
		return err
	})
	return ids, err
}
