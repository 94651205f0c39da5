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
)

// errToBeRead is that of a DB with Options.ReadOnly.
var errToBeRead = fmt.Errorf("the journal was opened to be read: %w", ErrReadOnly)

// guards is how a session stands.
type guards struct {
	fsync, synchronousCommit, readOnly string
	recovering                         bool
}

// The setting is what a transaction that says nothing would be; one that has begun
// says that it writes.
const guardColumns = `current_setting('fsync'), current_setting('synchronous_commit'),
	current_setting('default_transaction_read_only'), pg_is_in_recovery()`

func (g *guards) into() []any {
	return []any{&g.fsync, &g.synchronousCommit, &g.readOnly, &g.recovering}
}

func (g *guards) check(unsafe bool) error {
	switch {
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
	var g guards
	err := db.Read(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT `+guardColumns).Scan(g.into()...)
	})
	if err != nil {
		return err
	}
	return g.check(db.options.Unsafe)
}
