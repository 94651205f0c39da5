package sqlite

import (
	"cmp"
	"slices"
)

// spill writes everything and goes on without memory when there are too many
// objects for it.
func (w *warm) spill() error {
	if w.full || len(w.objects) <= w.limit {
		return nil
	}
	err := w.flush()
	w.full, w.objects = true, nil
	w.empty()
	return err
}

// flush writes what is held in memory: first what has rows loses them, since a name
// or a place may have gone from one object to another.
func (w *warm) flush() error {
	slices.SortFunc(w.dirty, func(a, b *warmObject) int { return cmp.Compare(a.id, b.id) })
	for _, o := range w.dirty {
		if err := w.remove(o); err != nil {
			return err
		}
	}
	objects := newBulk(w.session, "objects ("+objectColumns+", warehouse)", 9)
	places := newBulk(w.session, "places (path, uuid, warehouse)", 3)
	for _, o := range w.dirty {
		held, err := o.object()
		if err != nil {
			return err
		}
		r := objectRow{HeldObject: held, id: o.id, step: o.step, past: o.past}
		if err := objects.add(append(r.values(), w.id[:])...); err != nil {
			return err
		}
		for _, p := range held.Places {
			if o.past {
				break // Begin has taken them
			}
			if err := places.add(p.Path, o.uuid[:], w.id[:]); err != nil {
				return err
			}
		}
		o.dirty, o.kept = false, true
	}
	w.dirty = w.dirty[:0]
	for _, rest := range []func() error{objects.flush, places.flush, w.rows.flush} {
		if err := rest(); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes the rows of an object.
func (w *warm) remove(o *warmObject) error {
	if !o.kept {
		return nil
	}
	row, err := w.look(`SELECT `+objectColumns+` FROM objects WHERE id = ?`, o.id)
	if err != nil || row == nil {
		return err
	}
	if err := w.tables.swapPlaces(o.uuid, row.Places, nil); err != nil {
		return err
	}
	return w.exec(`DELETE FROM objects WHERE id = ?`, o.id)
}
