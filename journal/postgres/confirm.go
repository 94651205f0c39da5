package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"puddle/journal"
)

// certain makes sure of an answer that was found before somebody is told of it again: what
// it is bound to may be there because the wait of its commit for the synchronous standbys was
// given up, and nowhere else. What this process has committed, or committed after, needs nothing.
func (db *DB) certain(ctx context.Context, warehouse, incarnation uuid.UUID, a journal.Answer) error {
	kept := db.floor(warehouse).kept
	if a.Seq != 0 && kept.Incarnation == incarnation && a.Seq <= kept.Seq {
		return nil
	}
	return db.confirm(ctx, warehouse)
}

// confirm commits a transaction that has the head of a warehouse and writes nothing: its
// commit waits for the synchronous standbys, and so for all that was committed there before.
func (db *DB) confirm(ctx context.Context, warehouse uuid.UUID) error {
	tx, err := db.Begin(ctx, warehouse)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	limited, cancel := context.WithTimeout(ctx, db.options.outcomeLimit)
	defer cancel()
	if err := tx.keep(limited); err != nil {
		return fmt.Errorf("%w: it is there, and perhaps on no synchronous standby: %v", journal.ErrUnknownOutcome, err)
	}
	tx.kept()
	return nil
}

// kept is that the heads of a transaction, and all before them, are as durable as the
// database makes things.
func (tx *Tx) kept() {
	floors := &tx.db.floors
	floors.mu.Lock()
	defer floors.mu.Unlock()
	for id, chain := range tx.heads {
		f := floors.of[id]
		f.kept = chain.Head
		floors.of[id] = f
	}
}
