package pointers

import (
	"bytes"
	"slices"
)

// spill writes everything and goes on without memory when there are too many
// objects for it.
func (w *warm) spill() error {
	if w.full || len(w.objects) <= w.limit {
		return nil
	}
	err := w.flush()
	w.full = true
	w.empty()
	return err
}

// flush writes what has changed: first what has rows loses them, since a name or
// a place may have gone from one object to another.
func (w *warm) flush() error {
	slices.SortFunc(w.dirty, func(a, b *warmObject) int { return bytes.Compare(a.UUID[:], b.UUID[:]) })
	for _, o := range w.dirty {
		if !o.kept {
			continue
		}
		if err := w.exec(`DELETE FROM objects WHERE warehouse = ? AND uuid = ?`, w.id[:], o.UUID[:]); err != nil {
			return err
		}
		if err := w.tables.SetPlaces(o.UUID, nil); err != nil {
			return err
		}
	}
	for _, o := range w.dirty {
		state := "dropped"
		if o.live {
			state = "live"
		}
		if err := w.putObject(o.Object, state); err != nil {
			return err
		}
		if err := w.addPlaces(o.UUID, o.places); err != nil {
			return err
		}
		o.dirty, o.kept = false, true
	}
	w.dirty = nil
	return nil
}
