package recover

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections/anchor"
)

// birth begins a warehouse's history.
func (b Binder) birth(ctx context.Context, w Warehouse) (Bound, error) {
	if !b.Births {
		return Bound{}, fmt.Errorf("warehouse %s: %w", w.Name, ErrUnborn)
	}
	first, err := b.firstEvent(w)
	if err != nil {
		return Bound{}, err
	}
	// A crash before this leaves nothing.
	if err := b.Journal.Append(ctx, first); err != nil {
		return Bound{}, fmt.Errorf("warehouse %s: birth: %w", w.Name, err)
	}
	// Born. A crash here leaves a newborn history, whose identity the next
	// Bind writes.
	id := first.Event.Warehouse
	return Bound{ID: id, Born: true}, b.identify(ctx, w, id)
}

func (b Binder) firstEvent(w Warehouse) (journal.Entry, error) {
	id, err := uuid.NewRandom()
	if err != nil {
		return journal.Entry{}, err
	}
	incarnation, err := uuid.NewRandom()
	if err != nil {
		return journal.Entry{}, err
	}
	event, err := uuid.NewV7()
	if err != nil {
		return journal.Entry{}, err
	}
	entry, _, err := journal.NewChain(id, incarnation, 0).Next(journal.Draft{
		Warehouse: id,
		ID:        event,
		Cause:     journal.Cause{Actor: journal.SystemActor("start"), Origin: journal.OriginRecover},
		Body:      journal.IncarnationStarted{Build: b.Build, Location: w.Location, Name: w.Name, Reason: "birth"},
	}, b.Clock.Read())
	return entry, err
}

// identify writes the identity of a newborn warehouse.
func (b Binder) identify(ctx context.Context, w Warehouse, id uuid.UUID) error {
	if b.Ephemeral {
		return nil
	}
	for first, err := range b.Journal.Warehouse(id).Scan(ctx, 0) {
		if err != nil {
			return err
		}
		err := anchor.CreateIdentity(ctx, w.Store, anchor.Identity{
			ID: id, Name: w.Name, Location: w.Location, Incarnation: first.Incarnation, CreatedAt: first.At,
		})
		if errors.Is(err, warehouse.ErrExists) {
			if there, found, err := anchor.ReadIdentity(ctx, w.Store); err == nil && found && there.ID == id {
				return nil // another server on this journal was quicker
			}
			return &Refusal{w.Name, fmt.Sprintf("another catalog took %s at the same moment", w.Location), recoverCommand(w.Name), nil}
		}
		if err != nil {
			return fmt.Errorf("warehouse %s: identity: %w", w.Name, err)
		}
		return nil
	}
	return fmt.Errorf("%w: warehouse %s has no events", journal.ErrNoEvent, id)
}
