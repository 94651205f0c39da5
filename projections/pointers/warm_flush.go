package pointers

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
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
	slices.SortFunc(w.dirty, func(a, b *warmObject) int { return bytes.Compare(a.UUID[:], b.UUID[:]) })
	for _, o := range w.dirty {
		if !o.kept {
			continue
		}
		if err := w.exec(`DELETE FROM objects WHERE id = ?`, o.id); err != nil {
			return err
		}
		if err := w.tables.swapPlaces(o.UUID, o.written, nil); err != nil {
			return err
		}
	}
	for _, o := range w.dirty {
		if err := w.insert(&o.objectRow); err != nil {
			return err
		}
		if err := w.tables.swapPlaces(o.UUID, nil, o.Places); err != nil {
			return err
		}
		o.dirty, o.kept, o.written = false, true, o.Places
	}
	w.dirty = nil
	return w.flushSteps()
}

// flushSteps writes what finds the steps, in the order of the keys.
func (w *warm) flushSteps() error {
	slices.SortFunc(w.made, func(a, b madeRow) int {
		return cmp.Or(cmp.Compare(a.object, b.object), cmp.Compare(a.file, b.file), cmp.Compare(a.step, b.step))
	})
	for _, r := range w.made {
		if err := w.addMade(r); err != nil {
			return err
		}
	}
	slices.SortFunc(w.named, func(a, b nameRow) int {
		return cmp.Or(strings.Compare(a.namespace, b.namespace), strings.Compare(a.name, b.name), cmp.Compare(a.step, b.step))
	})
	for _, r := range w.named {
		if err := w.addName(r); err != nil {
			return err
		}
	}
	w.made, w.named = w.made[:0], w.named[:0]
	return nil
}
