package main

import (
	"context"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections/pointers/postgres"
	"puddle/projections/recorder"
)

// turns is a database as a recorder takes turns in it.
type turns struct{ *postgres.Store }

// Begin implements recorder.Database.
func (t turns) Begin(ctx context.Context, warehouse uuid.UUID, drafts []journal.Draft, requests []journal.Request) (recorder.Turn, error) {
	turn, err := t.BeginTurn(ctx, warehouse, drafts, requests)
	if err != nil {
		return nil, err
	}
	return turn, nil
}
