package rest

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// line is a history: the lineage of a warehouse, or that of an incarnation which a
// recovery has left.
type line struct {
	journal journal.Reader
	past    *projections.Past
	left    uuid.UUID // the incarnation; Nil: it is the lineage of now
}

// lineage is the line that the present belongs to.
func (w *Warehouse) lineage() line { return line{journal: w.Journal, past: w.Past} }

// line is the one that a point is on: that of its incarnation, where it names one that
// is held and the lineage does not have the event.
func (w *Warehouse) line(ctx context.Context, p journal.Point) (line, error) {
	incarnation, named := p.Incarnation()
	if !named || w.Left == nil {
		return w.lineage(), nil
	}
	_, err := p.Bound(ctx, w.Journal)
	var uncovered *journal.Uncovered
	if !errors.As(err, &uncovered) {
		return w.lineage(), err
	}
	return w.leftLine(ctx, incarnation)
}

// leftLine is that of an incarnation; the lineage where it is not held.
func (w *Warehouse) leftLine(ctx context.Context, incarnation uuid.UUID) (line, error) {
	reader, past, err := w.Left(ctx, incarnation)
	if errors.Is(err, journal.ErrNoWarehouse) {
		return w.lineage(), nil
	}
	return line{reader, past, incarnation}, err
}
