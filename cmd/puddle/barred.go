package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	journalpostgres "puddle/journal/postgres"
	"puddle/projections/recorder"
	"puddle/rest/catalog/purge"
)

// barred is a database whose turns let nothing come back from a purge that has begun, nor
// be born among its files: on whichever replica that purge runs.
type barred struct {
	recorder.Database
	bar func(warehouse uuid.UUID) (purge.Bar, bool) // false: nobody here is about to give anything a place
}

// Begin implements recorder.Database.
func (b barred) Begin(ctx context.Context, warehouse uuid.UUID, drafts []journal.Draft, requests []journal.Request) (recorder.Turn, error) {
	turn, err := b.Database.Begin(ctx, warehouse, drafts, requests)
	if err != nil {
		return nil, err
	}
	if bar, needed := b.bar(warehouse); needed {
		return barredTurn{turn, bar.In(turn)}, nil
	}
	return turn, nil
}

type barredTurn struct {
	recorder.Turn
	bar *purge.Watch
}

// barTime is how long a turn waits for the warehouse in all: well below what the database
// gives a transaction in which nothing happens.
const barTime = 3 * time.Second

// Apply implements recorder.Turn. A warehouse that does not answer in time is for this turn
// as if the database had no room for it.
func (t barredTurn) Apply(ctx context.Context, e journal.Event) error {
	err := t.bar.Refuse(ctx, e)
	switch {
	case errors.Is(err, purge.ErrLate):
		return fmt.Errorf("%w: %w", journalpostgres.ErrBusy, err)
	case err != nil:
		return err
	}
	return t.Turn.Apply(ctx, e)
}

// bar is what keeps changes of a warehouse away from its purges. A change that gives an
// object a place occupies it from before its turn until after.
func (n *node) bar(id uuid.UUID) (purge.Bar, bool) {
	w := n.named(id)
	if w == nil || w.decides == nil || !w.decides.Occupied() {
		return purge.Bar{}, false
	}
	return purge.Bar{Own: w.roots[0].Store, Roots: w.reads, Limit: barTime}, true
}

// fence implements metastore: it takes a turn itself.
func (n *shared) fence(warehouse uuid.UUID) func(context.Context) error {
	return func(ctx context.Context) error {
		turn, err := n.turns.Begin(ctx, warehouse, nil, nil)
		if err != nil {
			return err
		}
		turn.Rollback()
		return nil
	}
}
