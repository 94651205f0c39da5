package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// row is that of a lease. Each renewal changes it.
type row struct {
	holder uuid.UUID
	until  int64 // by the database's clock
}

// sighting is a row that somebody who waits for a lease has seen, and since when it is the
// same, by his own clock: no earlier than it was written. Its holder gives it up a tenth of
// a term before a term from then is over.
type sighting struct {
	row
	since time.Duration // of Lease.now
}

// sight looks who holds the lease. What cannot be read was not seen.
func (l *Lease) sight(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, l.term)
	defer cancel()
	var now row
	err := l.db.Read(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT holder, until FROM leases WHERE warehouse = $1 AND name = $2`, l.warehouse, []byte(l.name)).Scan(&now.holder, &now.until)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		l.before = sighting{}
	case err == nil && now != l.before.row:
		l.before = sighting{now, l.now()}
	}
}
