package projections

import (
	"slices"

	"puddle/journal"
)

// leavePlaces takes from objects what an event of several moves gives up, before
// any of them is judged: a table may take the place that another leaves in the same
// event, whatever their order.
func leavePlaces(t Tables, moves []journal.Move) error {
	if len(moves) < 2 {
		return nil
	}
	for _, m := range moves {
		if m.From == nil {
			continue
		}
		held, ok, err := t.FindObject(m.UUID)
		if err != nil {
			return err
		}
		kept := slices.DeleteFunc(slices.Clone(held.Places), func(o journal.Place) bool { return !keeps(m, o.Path) })
		if !ok || len(kept) == len(held.Places) {
			continue
		}
		if err := t.SetPlaces(m.UUID, kept); err != nil {
			return err
		}
	}
	return nil
}

// keeps tells that the path is a place of the object after the move.
func keeps(m journal.Move, path string) bool {
	return m.To != nil && slices.ContainsFunc(m.To.Places, func(p journal.Place) bool { return p.Path == path })
}
