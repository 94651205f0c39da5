package verify

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"puddle/projections"
)

// Twice tells of objects that are live in two of the warehouses (case 48): each of
// them writes versions that the other does not know.
func Twice(ctx context.Context, results []Result, sink Sink) {
	for i, first := range results {
		for _, second := range results[i+1:] {
			common(first.live, second.live, func(id uuid.UUID) {
				in, _, err := standing(ctx, first.source, id)
				also, _, err2 := standing(ctx, second.source, id)
				if err = errors.Join(err, err2); err != nil {
					sink.Unseen(Unseen{second.Summary.Warehouse, id.String(), err.Error()})
					return
				}
				sink.Found(Finding{Level: 2, Severity: Error, Kind: KindTwice, Warehouse: second.Summary.Warehouse, Place: also.Pointer.MetadataLocation,
					Message: fmt.Sprintf("it is also in warehouse %s, at %s: unregister one of them", first.Summary.Warehouse, in.Pointer.MetadataLocation)}.of(also))
			})
		}
	}
}

// common tells what two ascending lists have in common.
func common(a, b []uuid.UUID, tell func(uuid.UUID)) {
	for len(a) > 0 && len(b) > 0 {
		switch order := byUUID(a[0], b[0]); {
		case order < 0:
			a = a[1:]
		case order > 0:
			b = b[1:]
		default:
			tell(a[0])
			a, b = a[1:], b[1:]
		}
	}
}

// standing is where an object is by its last step; false when it is not live.
func standing(ctx context.Context, r projections.Reader, id uuid.UUID) (projections.Object, bool, error) {
	last, ok, err := r.LastStep(ctx, id)
	if err != nil || !ok || last.Move.To == nil {
		return projections.Object{UUID: id}, false, err
	}
	to := last.Move.To
	return projections.Object{Kind: last.Move.Kind, UUID: id, Identifier: to.Identifier, Pointer: to.Pointer, Location: to.Location}, true, nil
}
