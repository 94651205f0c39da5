package postgres

import "iter"

// undo is how to take back what an event has changed, the last change last.
type undo []func()

func (u *undo) run() {
	for i := len(*u) - 1; i >= 0; i-- {
		(*u)[i]()
	}
	*u = (*u)[:0]
}

// cell is a row as it is stored and as it is to be; nil: there is none.
type cell[V any] struct{ was, is *V }

// rows are those of a table that a sheet knows, also that they are not there. What
// they point at never changes.
type rows[K comparable, V any] struct {
	cells map[K]*cell[V]
	undo  *undo
}

func newRows[K comparable, V any](u *undo) rows[K, V] {
	return rows[K, V]{cells: map[K]*cell[V]{}, undo: u}
}

// get is the row as it is to be; false when the sheet does not know.
func (r rows[K, V]) get(key K) (*V, bool) {
	if c, ok := r.cells[key]; ok {
		return c.is, true
	}
	return nil, false
}

// found takes a row that is stored, or that there is none, unless it is known.
func (r rows[K, V]) found(key K, row *V) {
	if _, known := r.cells[key]; !known {
		r.cells[key] = &cell[V]{row, row}
	}
}

// put says how a row is to be. One that was not known is taken for new.
func (r rows[K, V]) put(key K, row *V) {
	c, known := r.cells[key]
	if !known {
		r.cells[key] = &cell[V]{is: row}
		*r.undo = append(*r.undo, func() { delete(r.cells, key) })
		return
	}
	before := c.is
	c.is = row
	*r.undo = append(*r.undo, func() { c.is = before })
}

// changed yields what is to be written.
func (r rows[K, V]) changed() iter.Seq2[K, *cell[V]] {
	return func(yield func(K, *cell[V]) bool) {
		for key, c := range r.cells {
			if c.was != c.is && !yield(key, c) {
				return
			}
		}
	}
}
