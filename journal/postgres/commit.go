package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// Commit makes what was appended durable before it returns, or finds out what became
// of it. From here on the context's end changes nothing. ErrUnknownOutcome: the
// database could not be asked for OutcomeLimit, or it is there and no synchronous standby
// has said that it has it. Any other error: surely nothing was appended; of what others
// wrote in it nothing is said by ErrAway. Without anything written it makes sure of what is there.
func (tx *Tx) Commit(ctx context.Context) error {
	if tx.failed != nil {
		return fmt.Errorf("the transaction has failed: %w", tx.failed)
	}
	ctx = context.WithoutCancel(ctx)
	limited, cancel := context.WithTimeout(ctx, tx.db.options.outcomeLimit)
	defer cancel()
	err := tx.keep(limited)
	if err != nil && classify(err) == unknown {
		err = tx.db.settle(ctx, tx.sought, err)
	}
	if err == nil {
		tx.stands(tx.heads)
		tx.kept()
	}
	return tx.db.said(ctx, err)
}

// warning is where a connection has the last warning of its server.
const warning = "puddle: warning"

// warned takes in what a server says beside its answers.
func warned(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.SeverityUnlocalized == "WARNING" {
		c.CustomData()[warning] = (*pgconn.PgError)(n)
	}
}

// keep commits and gives the connection back. A commit with a warning is an error of unknown
// outcome: it is there, and was not waited for until the synchronous standbys have it.
func (tx *Tx) keep(ctx context.Context) error {
	defer tx.conn.Release()
	beside := tx.conn.Conn().PgConn().CustomData()
	delete(beside, warning)
	err := tx.tx.Commit(ctx)
	if said, ok := beside[warning].(*pgconn.PgError); ok && err == nil {
		err = fmt.Errorf("committed with a warning: %s", said.Message)
	}
	return err
}
