package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"puddle/journal"
)

// Tx is a transaction that holds the heads of some warehouses: until it ends
// nobody else appends to them. It is for one goroutine, and for a short time.
// After an error of one of its methods it can only be rolled back.
type Tx struct {
	db     *DB
	conn   *pgxpool.Conn
	tx     pgx.Tx
	heads  journal.Heads // of those that are born
	locked map[uuid.UUID]bool
	now    journal.Instant
	failed error // what it can be rolled back for only
	sought sought
	queued []func(*pgx.Batch) // for the next Append
}

const (
	// One statement locks them one after the other, everybody's in the same order.
	lockHeads = `SELECT warehouse, incarnation, seq, hash, at FROM heads WHERE warehouse = ANY($1) ORDER BY warehouse FOR UPDATE`
	// After the lock: the clock of a group is that of its turn.
	readClock = `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, ` + guardColumns
)

// Begin starts a transaction and locks the heads of warehouses, of which some may be
// unborn. It waits for others, up to LockLimit. The errors are those of the guards,
// the context's and the database's, and ErrAlone; nothing was written.
func (db *DB) Begin(ctx context.Context, warehouses ...uuid.UUID) (*Tx, error) {
	return db.BeginWith(ctx, func(*pgx.Batch) {}, warehouses...)
}

// BeginWith is Begin that asks for more in the round trip that locks: the statements that
// also queues run under the lock. It is called anew when the transaction is tried anew.
func (db *DB) BeginWith(ctx context.Context, also func(*pgx.Batch), warehouses ...uuid.UUID) (tx *Tx, err error) {
	if db.options.ReadOnly {
		return nil, errToBeRead
	}
	for range attempts {
		tx, err = db.begin(ctx, also, warehouses)
		if err == nil || !mayPass(err) || ctx.Err() != nil || db.closed.Load() {
			break
		}
		if isLost(err) {
			db.pool.Reset() // when a connection is lost, so are mostly the others
		}
	}
	return tx, db.said(ctx, err)
}

// mayPass tells the errors of a beginning that are worth another try at once.
func mayPass(err error) bool {
	if errors.Is(err, ErrBusy) || errors.Is(err, ErrAway) {
		return false
	}
	return classify(err) == rolledBack || isLost(err)
}

func (db *DB) begin(ctx context.Context, also func(*pgx.Batch), warehouses []uuid.UUID) (*Tx, error) {
	conn, err := db.acquire(ctx, db.options.turnWait)
	if err != nil {
		return nil, err
	}
	var begun pgx.Tx
	if err := db.trip(ctx, func(ctx context.Context) (err error) {
		begun, err = conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite})
		return err
	}); err != nil {
		conn.Release()
		return nil, err
	}
	tx := &Tx{db: db, conn: conn, tx: begun, heads: journal.Heads{}, locked: map[uuid.UUID]bool{}}
	for _, id := range warehouses {
		tx.locked[id] = true
	}
	if err := tx.lock(ctx, also); err != nil {
		tx.Rollback(ctx)
		return nil, err
	}
	return tx, nil
}

// lock locks the heads and reads them.
func (tx *Tx) lock(ctx context.Context, also func(*pgx.Batch)) error {
	ids := make([][16]byte, 0, len(tx.locked))
	for id := range tx.locked {
		ids = append(ids, id)
	}
	var batch pgx.Batch
	batch.Queue(lockHeads, ids).Query(func(rows pgx.Rows) error { return scanHeads(rows, tx.heads) })
	floors := tx.db.underfoot(tx.locked)
	var lost []lostPosition
	floors.queue(&batch, &lost)
	free := tx.db.queueFree(&batch)
	var ms int64
	var g guards
	batch.Queue(readClock).QueryRow(func(row pgx.Row) error { return row.Scan(append([]any{&ms}, g.of(tx.conn.Conn())...)...) })
	also(&batch)
	asked := tx.db.clock.uptime()
	if err := tx.send(ctx, &batch); err != nil {
		return err
	}
	tx.db.clock.take(asked, tx.db.clock.uptime(), ms)
	tx.now = journal.At(time.UnixMilli(ms).UTC())
	if err := g.check(tx.db.options.Unsafe); err != nil {
		return err
	}
	if err := free(); err != nil {
		return err
	}
	if _, err := floors.check(tx.heads, lost); err != nil {
		return err
	}
	tx.stands(tx.heads)
	return nil
}

func scanHead(row pgx.Row) (c journal.Chain, err error) {
	var seq, at int64
	var hash []byte
	if err := row.Scan((*[16]byte)(&c.Warehouse), (*[16]byte)(&c.Head.Incarnation), &seq, &hash, &at); err != nil {
		return c, err
	}
	c.Head.Seq, c.At = journal.Seq(seq), time.UnixMilli(at).UTC()
	c.Head.Hash, err = digest(hash)
	if err != nil {
		err = journal.Reading{Warehouse: c.Warehouse, Head: c.Head}.Damage(c.Head.Seq, fmt.Errorf("its head: %w", err))
	}
	return c, err
}

// digest takes the stored bytes of one.
func digest(stored []byte) (d journal.Digest, err error) {
	if len(stored) != len(d) {
		return d, fmt.Errorf("a hash has %d bytes", len(stored))
	}
	return journal.Digest(stored), nil
}

// Heads are the ends of the histories that are locked, without those that are not
// born, and with what was appended in this transaction.
func (tx *Tx) Heads() journal.Heads { return maps.Clone(tx.heads) }

// Now is the database's clock as it was when the heads were locked: the replicas'
// clocks do not matter.
func (tx *Tx) Now() journal.Instant { return tx.now }

// Conn is for other tables of the same database, in the same transaction. It is
// ended by Commit and Rollback of the Tx alone.
func (tx *Tx) Conn() pgx.Tx { return tx.tx }

// Send runs statements of others in the transaction, in one round trip.
func (tx *Tx) Send(ctx context.Context, batch *pgx.Batch) error {
	return tx.do(ctx, func() error { return tx.send(ctx, batch) })
}

// Queue has the next Append send more statements, in its round trip and after its own.
func (tx *Tx) Queue(also func(*pgx.Batch)) { tx.queued = append(tx.queued, also) }

// Rollback gives up what was not committed, and the heads. After Commit it does
// nothing. That it fails changes nothing: the server gives up with the connection.
func (tx *Tx) Rollback(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ReadWait)
	defer cancel()
	_ = tx.tx.Rollback(ctx)
	tx.conn.Release()
}

// stands raises the floors to heads that are committed and were found in the histories
// that this process has seen.
func (tx *Tx) stands(heads journal.Heads) {
	for id, chain := range heads {
		tx.db.raise(id, chain.Head, true)
	}
}
