package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// LeaseTerm is how long a lease lasts that is not renewed; it is renewed each third of it.
const LeaseTerm = 15 * time.Second

// ErrLeaseLost: this process does not hold the lease, or cannot know that it does.
var ErrLeaseLost = errors.New("the lease is not held by this process")

// Lease is what one process at a time holds, by the database's clock: the right to do
// something for a warehouse. Who does not renew it for a term loses it, whatever that clock
// says: it may have been set back, or the row be that of a copy. Beside who is Alone nobody
// gains one or renews it. Held is safe for concurrent use.
type Lease struct {
	db        *DB
	warehouse uuid.UUID
	name      string
	term      time.Duration
	now       func() time.Duration
	tried     func()
	before    sighting // Keep's

	mu     sync.Mutex
	holder uuid.UUID     // one for each time that it is held
	held   bool          // as far as the database said
	until  time.Duration // of now
}

// LeaseOptions are optional; Term and Now are for tests.
type LeaseOptions struct {
	Tried func()               // called each time that Keep has tried to gain it, from Keep's goroutine
	Term  time.Duration        // 0: LeaseTerm; at least a few milliseconds
	Now   func() time.Duration // a clock that does not jump; nil: journal.Uptime
}

// Lease is a lease of a warehouse by its name, not held yet. Each one is a holder of
// its own.
func (db *DB) Lease(warehouse uuid.UUID, name string, o LeaseOptions) *Lease {
	l := &Lease{db: db, warehouse: warehouse, name: name, term: cmp.Or(o.Term, LeaseTerm), now: o.Now}
	if l.now == nil {
		l.now = journal.Uptime
	}
	if l.tried = o.Tried; l.tried == nil {
		l.tried = func() {}
	}
	return l
}

// Held is nil while the lease is surely held: nobody else gains it before. It asks no
// one. From a tenth before the end of the term on, counted from before the request that
// renewed it, it is ErrLeaseLost; also for who was paused that long and has just woken up.
func (l *Lease) Held() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.held || l.now() >= l.until {
		return fmt.Errorf("%w: %s of warehouse %s", ErrLeaseLost, l.name, l.warehouse)
	}
	return nil
}

// left is how long it is surely held from now on.
func (l *Lease) left() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until - l.now()
}

const (
	// Whose term is over loses it to whoever comes first; so does who has not renewed it
	// for a term of whoever comes. Nobody gains or renews one while somebody is Alone.
	gainLease = `INSERT INTO leases (warehouse, name, holder, until)
		SELECT $1::uuid, $2::bytea, $3::uuid, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + $4 WHERE ` + nobodyAlone + `
		ON CONFLICT (warehouse, name) DO UPDATE SET holder = excluded.holder, until = excluded.until
		WHERE leases.holder = excluded.holder OR leases.until <= extract(epoch FROM clock_timestamp()) * 1000
			OR (leases.holder = $5 AND leases.until = $6)`
	// Whose term is over may have had a successor who has left.
	renewLease = `UPDATE leases SET until = floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + $4
		WHERE warehouse = $1 AND name = $2 AND holder = $3 AND until > extract(epoch FROM clock_timestamp()) * 1000 AND ` + nobodyAlone
	releaseLease = `DELETE FROM leases WHERE warehouse = $1 AND name = $2 AND holder = $3`
)

// ask gains or renews, and counts the term from before it asked.
func (l *Lease) ask(ctx context.Context, sql string, wait time.Duration, args ...any) (held bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	asked := l.now()
	n, err := l.exec(ctx, sql, append([]any{l.term.Milliseconds()}, args...)...)
	if err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = n > 0
	l.until = asked + l.term - l.term/10
	return l.held, nil
}

// exec runs a statement that may be run twice.
func (l *Lease) exec(ctx context.Context, sql string, args ...any) (rows int64, err error) {
	if l.db.options.ReadOnly {
		return 0, errToBeRead
	}
	err = l.db.Read(ctx, func(conn *pgx.Conn) error {
		done, err := conn.Exec(ctx, sql, append([]any{l.warehouse, []byte(l.name), l.holder}, args...)...)
		rows = done.RowsAffected()
		return err
	})
	return rows, err
}

// lose gives it up here, whatever the database says.
func (l *Lease) lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = false
}

// release gives it back, if the database can be asked; else its term ends it.
func (l *Lease) release(ctx context.Context) {
	l.lose()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(l.term, ReadWait))
	defer cancel()
	_, _ = l.exec(ctx, releaseLease)
}

// EndLeases ends the leases of all warehouses: for who is alone in the database and so
// knows that nobody who runs holds one, such as after a restore of what somebody held when
// the copy was made. Their terms would end them as well.
func (db *DB) EndLeases(ctx context.Context) error {
	if db.options.ReadOnly {
		return nil
	}
	return db.Read(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `DELETE FROM leases`)
		return err
	})
}
