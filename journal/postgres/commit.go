package postgres

import (
	"context"
	"fmt"
)

// Commit makes what was appended durable before it returns, or finds out what became
// of it. From here on the context's end changes nothing. ErrUnknownOutcome: the
// database could not be asked for OutcomeLimit, or nothing was appended that could
// be looked for. Any other error: surely nothing was written.
func (tx *Tx) Commit(ctx context.Context) error {
	if tx.failed != nil {
		return fmt.Errorf("the transaction has failed: %w", tx.failed)
	}
	ctx = context.WithoutCancel(ctx)
	limited, cancel := context.WithTimeout(ctx, tx.db.options.outcomeLimit)
	defer cancel()
	err := tx.tx.Commit(limited)
	tx.conn.Release()
	if err != nil && classify(err) == unknown {
		err = tx.db.settle(ctx, tx.sought, err)
	}
	if err == nil {
		tx.stands(tx.heads)
	}
	return tx.db.said(ctx, err)
}
