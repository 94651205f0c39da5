package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Why a server is refused.
var (
	// ErrFsyncOff: the server runs with fsync=off. A crash of its machine could lose
	// or tear everything.
	ErrFsyncOff = errors.New("the PostgreSQL server runs with fsync=off")
	// ErrSynchronousCommitOff: commits are acknowledged before they are durable.
	ErrSynchronousCommitOff = errors.New("the PostgreSQL session has synchronous_commit=off")
	// ErrReadOnly: the server is a standby, or does not let this role write.
	ErrReadOnly = errors.New("the PostgreSQL server is read only")
	// ErrNoSession: a connection does not stay with one process of the server. Settings and
	// locks of a session, with which a recovery is alone, are somebody else's then.
	ErrNoSession = errors.New("a pooler before the PostgreSQL server does not keep sessions")
)

// errToBeRead is that of a DB with Options.ReadOnly.
var errToBeRead = fmt.Errorf("the journal was opened to be read: %w", ErrReadOnly)

// guards is how a session stands.
type guards struct {
	fsync, synchronousCommit, readOnly string
	recovering                         bool
	first, process                     int32 // of the server: when the session began, and now
}

// The setting is what a transaction that says nothing would be; one that has begun
// says that it writes.
const guardColumns = `current_setting('fsync'), current_setting('synchronous_commit'),
	current_setting('default_transaction_read_only'), pg_is_in_recovery(), pg_backend_pid()`

// of takes them in of a session.
func (g *guards) of(session *pgx.Conn) []any {
	g.first, _ = session.PgConn().CustomData()[process].(int32)
	return []any{&g.fsync, &g.synchronousCommit, &g.readOnly, &g.recovering, &g.process}
}

// process is where a connection has the process that was the server's when it began: a
// pooler names one of its own making.
const process = "puddle: process"

func (g *guards) check(unsafe bool) error {
	switch {
	case g.process != g.first:
		return ErrNoSession
	case g.recovering || g.readOnly == "on":
		return ErrReadOnly
	case unsafe:
		return nil
	case g.fsync == "off":
		return ErrFsyncOff
	case g.synchronousCommit == "off":
		return ErrSynchronousCommitOff
	}
	return nil
}

func (db *DB) checkSession(ctx context.Context) error {
	return db.Read(ctx, func(conn *pgx.Conn) error {
		var g guards
		err := conn.QueryRow(ctx, `SELECT `+guardColumns).Scan(g.of(conn)...)
		if err == nil {
			err = g.check(db.options.Unsafe)
		}
		if err == nil {
			err = db.checkPooler(ctx, g.process)
		}
		return err
	})
}

// checkPooler refuses a pooler that leads another session to the process of one that is there.
// One that leads it elsewhere for now is found out by a turn.
func (db *DB) checkPooler(ctx context.Context, taken int32) error {
	session, err := db.connect(ctx)
	if err != nil {
		return err
	}
	defer end(ctx, session)
	if session.PgConn().CustomData()[process] == taken {
		return ErrNoSession
	}
	return nil
}
