package main

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/postgres"
)

// bearing is the journal of several servers for one that looks which warehouses there are
// and bears one that is missing, unless another server did so meanwhile.
type bearing struct {
	*postgres.DB
	known []uuid.UUID
}

// Warehouses implements journal.Journal.
func (b *bearing) Warehouses(ctx context.Context) (ids []uuid.UUID, err error) {
	b.known, err = b.DB.Warehouses(ctx)
	return b.known, err
}

// Append implements journal.Writer for a birth.
func (b *bearing) Append(ctx context.Context, entries ...journal.Entry) error {
	if len(entries) != 1 {
		return fmt.Errorf("%d events bear no warehouse", len(entries))
	}
	return b.Bear(ctx, b.known, entries[0])
}
