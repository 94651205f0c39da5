package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// How long to wait before the database is asked again.
const (
	rejoinPause = time.Second
	leavePause  = 100 * time.Millisecond // when whoever was in the way has left
)

// One lock of the schema's name: servers share it, and who must be alone has it.
const (
	runKey   = `hashtextextended('puddle: run ' || $1::text, 0)`
	tryShare = `SELECT pg_try_advisory_lock_shared(` + runKey + `)`
	share    = `SELECT pg_advisory_lock_shared(` + runKey + `)`
	tryAlone = `SELECT pg_try_advisory_lock(` + runKey + `)`
	// Where they are is shown of sessions of the same role alone, or to who may see all. A
	// server's session is in no transaction, but a turn is.
	selectOthers = `WITH k AS (SELECT ` + runKey + ` AS key)
		SELECT coalesce(host(a.client_addr), ''), l.mode = 'ExclusiveLock', l.virtualtransaction NOT LIKE '%/0'
		FROM k, pg_locks l LEFT JOIN pg_stat_activity a USING (pid)
		WHERE ` + holdsRun + ` AND l.pid <> pg_backend_pid()`
	holdsRun = `l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
		AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND l.classid::bigint = (k.key >> 32) & 4294967295 AND l.objid::bigint = k.key & 4294967295`
)

// Join says that a server runs on this journal, until leave is called: nobody is Alone
// meanwhile. It has a session of its own, and makes another one when that is lost, as soon
// as the database lets it and nobody is Alone. journal.ErrLocked: somebody is, as for a
// recovery. Leave waits for the session's end; it is idempotent.
func (db *DB) Join(ctx context.Context) (leave func(), err error) {
	session, err := db.lock(ctx, tryShare)
	if err != nil {
		return nil, err
	}
	joined, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var staying sync.WaitGroup
	staying.Go(func() {
		for joined.Err() == nil {
			if await(joined, session); joined.Err() == nil {
				end(joined, session)
				session = db.rejoin(joined)
			}
		}
		unlock(joined, session)
	})
	return func() { cancel(); staying.Wait() }, nil
}

// await returns when a session has ended, or ctx, which leaves the session as it is.
func await(ctx context.Context, session *pgx.Conn) {
	for {
		if _, err := session.WaitForNotification(ctx); err != nil {
			return
		}
	}
}

// rejoin makes sessions until one has the shared lock; nil when ctx has ended before.
func (db *DB) rejoin(ctx context.Context) *pgx.Conn {
	for ctx.Err() == nil {
		session, err := db.beside(ctx)
		if err == nil {
			if _, err = session.Exec(ctx, share, db.options.Schema); err == nil {
				return session
			}
			end(ctx, session)
		}
		pause(ctx, rejoinPause)
	}
	return nil
}

// Alone says that nobody else is to use this journal, until leave is called. journal.ErrLocked,
// with how many others do: servers that have joined, or another one who is alone. The lock
// is that of a session, and ends with it.
func (db *DB) Alone(ctx context.Context) (leave func(), err error) {
	session, err := db.alone(ctx)
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { db.leave(ctx, session) }), nil
}

// alone is a session that has the lock, until leave.
func (db *DB) alone(ctx context.Context) (*pgx.Conn, error) {
	if db.options.ReadOnly {
		return nil, errToBeRead
	}
	session, err := db.lock(ctx, tryAlone)
	if err != nil {
		return nil, err
	}
	var process int32 // the server's own: a pooler between makes others up
	if err := session.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&process); err != nil {
		unlock(ctx, session)
		return nil, db.said(ctx, err)
	}
	db.aloneAs.Store(process)
	return session, nil
}

func (db *DB) leave(ctx context.Context, session *pgx.Conn) {
	db.aloneAs.Store(0)
	unlock(ctx, session)
}

// lock makes a session that has the lock in a way.
func (db *DB) lock(ctx context.Context, try string) (*pgx.Conn, error) {
	session, err := db.beside(ctx)
	if err != nil {
		return nil, db.said(ctx, err)
	}
	for range attempts {
		var locked bool
		err = session.QueryRow(ctx, try, db.options.Schema).Scan(&locked)
		if err == nil && locked {
			return session, nil
		}
		if err == nil {
			err = db.inUse(ctx, session)
		}
		if !errors.Is(err, errGone) && !errors.Is(err, errTurns) {
			break
		}
		pause(ctx, leavePause)
	}
	end(ctx, session)
	return nil, db.said(ctx, err)
}

// Who has the lock for a moment only.
var (
	errGone  = fmt.Errorf("%w, which is leaving", journal.ErrLocked)
	errTurns = fmt.Errorf("%w: a server that has lost its session beside the pool changes it", journal.ErrLocked)
)

// inUse is ErrLocked, and says by whom.
func (db *DB) inUse(ctx context.Context, session *pgx.Conn) error {
	rows, _ := session.Query(ctx, selectOthers, db.options.Schema)
	var hosts []string
	var host string
	var one, alone, inTurn bool
	others, turns := 0, 0
	_, err := pgx.ForEachRow(rows, []any{&host, &one, &inTurn}, func() error {
		switch alone = alone || one; {
		case inTurn && !one:
			turns++
			return nil
		case host != "":
			hosts = append(hosts, host)
		}
		others++
		return nil
	})
	if err != nil {
		return err
	}
	where := ""
	if len(hosts) > 0 {
		where = ", at " + strings.Join(hosts, ", ")
	}
	switch {
	case others == 0 && turns > 0:
		return errTurns
	case others == 0:
		return errGone
	case alone:
		return fmt.Errorf("%w, which must be alone%s", journal.ErrLocked, where)
	case others == 1:
		return fmt.Errorf("%w: 1 server runs%s", journal.ErrLocked, where)
	}
	return fmt.Errorf("%w: %d servers run%s", journal.ErrLocked, others, where)
}

// What a role may have set, of versions that know it: a session that has a lock does nothing
// for as long as a server runs, or much in one statement.
const endless = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('idle_session_timeout', 'statement_timeout')`

// beside makes a session for a lock.
func (db *DB) beside(ctx context.Context) (*pgx.Conn, error) {
	session, err := db.connect(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := session.Exec(ctx, endless); err != nil {
		end(ctx, session)
		return nil, err
	}
	return session, nil
}

// connect makes a session that is not of the pool.
func (db *DB) connect(ctx context.Context) (*pgx.Conn, error) {
	if db.closed.Load() {
		return nil, journal.ErrClosed
	}
	c := db.pool.Config()
	session, err := pgx.ConnectConfig(ctx, c.ConnConfig)
	if err != nil {
		return nil, err
	}
	if err := c.AfterConnect(ctx, session); err != nil {
		end(ctx, session)
		return nil, err
	}
	return session, nil
}

// unlock gives the lock back before it ends the session: that takes effect at once.
func unlock(ctx context.Context, session *pgx.Conn) {
	if session == nil {
		return
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), ReadWait)
	defer cancel()
	_, _ = session.Exec(limited, `SELECT pg_advisory_unlock_all()`)
	end(ctx, session)
}

// end ends a session, if there is one. That it fails changes nothing: the server ends it
// with the connection.
func end(ctx context.Context, session *pgx.Conn) {
	if session == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ReadWait)
	defer cancel()
	_ = session.Close(ctx)
}
