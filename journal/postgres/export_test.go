package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// NewClock is a clock of a database by an uptime, which nothing was told yet.
func NewClock(uptime func() time.Duration) *Clock { return &Clock{uptime: uptime} }

// Tell tells it what the database's clock showed between two moments of uptime.
func Tell(c *Clock, asked, answered time.Duration, ms int64) { c.take(asked, answered, ms) }

// Within is o that gives up looking for the outcome of a commit after d.
func Within(o Options, d time.Duration) Options {
	o.outcomeLimit = d
	return o
}

// Mislead has a connection lead to another process than it did.
func Mislead(conn *pgx.Conn) { conn.PgConn().CustomData()[process] = int32(0) }

// Class names the class of an error.
func Class(err error) string {
	return map[class]string{unknown: "unknown", rolledBack: "rolled back", deterministic: "deterministic"}[classify(err)]
}

// SetTrip makes db wait for answers in a turn for d. Not for concurrent use.
func SetTrip(db *DB, d time.Duration) { db.options.tripLimit = d }

// SetWait makes db wait for connections of the pool for d. Not for concurrent use.
func SetWait(db *DB, d time.Duration) { db.options.readWait, db.options.turnWait = d, d }

// WhyNot is what an error means for whoever asked.
func WhyNot(err error) error { return whyNot(err) }

// Gain tries to gain a lease once, as a holder of its own.
func Gain(ctx context.Context, l *Lease) bool {
	l.holder = uuid.Nil
	return l.gain(ctx)
}

// Renew renews a lease, and tells whether the database did.
func Renew(ctx context.Context, l *Lease) (bool, error) { return l.ask(ctx, renewLease, l.term) }

// Release gives a lease back.
func Release(ctx context.Context, l *Lease) { l.release(ctx) }

// AFew is o that erases n documents in a transaction.
func AFew(o CompactOptions, n int) CompactOptions {
	o.most = n
	return o
}
