package purge

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog/purge/mark"
)

// Bar keeps what many processes decide away from purges that have begun: it is asked about
// an event under the lock that events are recorded under, which Options.Fence waits for.
// So either the purge sees the event, or the event the mark.
type Bar struct {
	Own    warehouse.Reader // where marks are
	Roots  warehouse.Roots  // where metadata files are
	Reader Standing
}

// Standing says what was recorded last. [projections.Reader] is one.
type Standing interface {
	projections.Purges
	PlaceHolder(ctx context.Context, path string, except uuid.UUID) (uuid.UUID, bool, error)
}

// Refuse answers nil, or a *projections.Conflict, PurgeBegun: for an event that brings a
// table back whose purge has begun, or was closed since that was decided, or gives an object a place that is one of such a
// table's, above or below, until the purge is closed; and, without a Holder, for an event
// of which that cannot be told.
func (b Bar) Refuse(ctx context.Context, e journal.Event) error {
	moves := slices.DeleteFunc(slices.Clone(e.Moves()), func(m journal.Move) bool { return m.To == nil })
	if len(moves) == 0 {
		return nil
	}
	err := b.returns(ctx, e, moves)
	if err == nil {
		err = b.settles(ctx, moves)
	}
	var conflict *projections.Conflict
	if err == nil || errors.As(err, &conflict) {
		return err
	}
	return &projections.Conflict{Kind: projections.PurgeBegun, Identifier: moves[0].To.Identifier, UUID: moves[0].UUID}
}

// returns refuses what comes back from a purge that has begun.
func (b Bar) returns(ctx context.Context, e journal.Event, moves []journal.Move) error {
	for _, m := range moves {
		if m.From != nil {
			continue // it is there, and no purge of it asked for
		}
		p, asked, err := b.Reader.Purge(ctx, m.UUID)
		if err != nil {
			return err
		}
		var begun bool
		switch {
		case asked && p.Done:
			begun, err = b.removed(ctx, e, m)
		case asked:
			_, begun, err = mark.Find(ctx, b.Own, p.Drop)
		}
		if err != nil {
			return err
		}
		if begun {
			return begunBy(p, m, "")
		}
	}
	return nil
}

// removed tells whether a table whose purge is closed lacks its files. Who registers one has
// put them back; who decided before the purge and was stopped until now has not.
func (b Bar) removed(ctx context.Context, e journal.Event, m journal.Move) (bool, error) {
	if _, undropped := e.Body.(journal.TableUndropped); undropped {
		return true, nil
	}
	root, key, err := b.Roots.Resolve(m.To.Pointer.MetadataLocation)
	if err != nil {
		return false, err
	}
	_, err = root.Store.Stat(ctx, key)
	if errors.Is(err, warehouse.ErrNotFound) {
		return true, nil
	}
	return false, err
}

// settles refuses places near those of purges that have begun, which their objects do not
// have yet.
func (b Bar) settles(ctx context.Context, moves []journal.Move) error {
	for begun, err := range mark.All(ctx, b.Own) {
		if err != nil {
			return err
		}
		p, asked, err := b.Reader.Purge(ctx, begun.Table)
		if err != nil {
			return err
		}
		if !asked || p.Done || p.Drop != begun.Drop {
			continue // it is over, and its mark was left
		}
		for _, m := range moves {
			if err := b.apart(ctx, p, m); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b Bar) apart(ctx context.Context, p projections.Purge, m journal.Move) error {
	for _, place := range m.To.Places {
		if !near(p.Places, place.Path) {
			continue
		}
		holder, held, err := b.Reader.PlaceHolder(ctx, place.Path, uuid.Nil)
		if err != nil {
			return err
		}
		if !held || holder != m.UUID {
			return begunBy(p, m, place.Path)
		}
	}
	return nil
}

// near tells whether a path is one of these places, above or below.
func near(places []journal.Place, path string) bool {
	return slices.ContainsFunc(places, func(p journal.Place) bool { return warehouse.Overlaps(p.Path, path) })
}

func begunBy(p projections.Purge, m journal.Move, path string) error {
	return &projections.Conflict{Kind: projections.PurgeBegun, Identifier: m.To.Identifier, UUID: m.UUID, Path: path, Holder: p.Table, Drop: p.Drop}
}
