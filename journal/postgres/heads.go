package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

const selectHeads = `SELECT warehouse, incarnation, seq, hash, at FROM heads`

// Heads are the ends of all histories, in one round trip: for who follows what other
// processes append. ErrWentBack names the warehouses that the database has lost something
// of; the heads of the others are answered beside it.
func (db *DB) Heads(ctx context.Context) (journal.Heads, error) {
	floors := db.underfoot(nil)
	var heads journal.Heads
	var lost []lostPosition
	err := db.Read(ctx, func(conn *pgx.Conn) error {
		heads, lost = journal.Heads{}, nil
		var batch pgx.Batch
		floors.queue(&batch, &lost)
		db.clock.queue(&batch)
		batch.Queue(selectHeads).Query(func(rows pgx.Rows) error { return scanHeads(rows, heads) })
		return conn.SendBatch(ctx, &batch).Close()
	})
	if err != nil {
		return nil, err
	}
	gone, err := floors.check(heads, lost)
	for _, id := range gone {
		delete(heads, id)
	}
	for id, chain := range heads {
		db.raise(id, chain.Head, true)
	}
	return heads, err
}

// scanHeads adds the rows of heads.
func scanHeads(rows pgx.Rows, heads journal.Heads) error {
	for rows.Next() {
		chain, err := scanHead(rows)
		if err != nil {
			return err
		}
		heads[chain.Warehouse] = chain
	}
	return rows.Err()
}
