package sqlite

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"puddle/projections"
	"puddle/projections/pointers"
)

// keptRows is how many rows of made and names are in memory, at least, when they are
// written: more of them meet the same pages.
const keptRows = 100_000

// warmRows are the rows of steps while a warehouse is loaded. Those of history are
// written as they come; those of made and names in the order of their keys, so
// that they meet their pages one after the other.
type warmRows struct {
	warehouse []byte
	history   *bulk
	packed    []byte // the steps that history has not written
	made      []madeRow
	named     []nameRow
	madeRows  *bulk
	nameRows  *bulk
}

// madeRow says that a step of an object made a metadata file.
type madeRow struct{ object, file, step int64 }

// nameRow says that a step gave an object a name.
type nameRow struct {
	namespace, name string
	step            int64
	object          uuid.UUID
}

func newWarmRows(t *tables) warmRows {
	return warmRows{
		warehouse: t.id[:], history: newBulk(t.session, "history (step, object, before, what)", 4),
		madeRows: newBulk(t.session, "made (object, file, step)", 3),
		nameRows: newBulk(t.session, "names (warehouse, namespace, name, step, uuid)", 5),
	}
}

// step takes the last step of an object.
func (r *warmRows) step(o *warmObject, before int64, s projections.Step) error {
	if len(r.history.values) == 0 {
		r.packed = r.packed[:0]
	}
	start := len(r.packed)
	r.packed = pointers.PackStep(s, r.packed)
	if file := pointers.MadeBy(s); file != 0 {
		r.made = append(r.made, madeRow{o.id, file, o.step})
	}
	if projections.Names(s.Move) {
		r.named = append(r.named, nameRow{o.identifier.Namespace.Key(), o.identifier.Name, o.step, o.uuid})
	}
	return r.history.add(o.step, o.id, before, r.packed[start:])
}

// settle writes what is to be written before a transaction of the load ends.
func (r *warmRows) settle() error {
	if len(r.made) >= keptRows || len(r.named) >= keptRows {
		return r.flush()
	}
	return r.history.flush()
}

// flush writes all.
func (r *warmRows) flush() error {
	if err := r.history.flush(); err != nil {
		return err
	}
	slices.SortFunc(r.made, func(a, b madeRow) int {
		return cmp.Or(cmp.Compare(a.object, b.object), cmp.Compare(a.file, b.file), cmp.Compare(a.step, b.step))
	})
	for _, m := range r.made {
		if err := r.madeRows.add(m.object, m.file, m.step); err != nil {
			return err
		}
	}
	slices.SortFunc(r.named, func(a, b nameRow) int {
		return cmp.Or(strings.Compare(a.namespace, b.namespace), strings.Compare(a.name, b.name), cmp.Compare(a.step, b.step))
	})
	for _, n := range r.named {
		if err := r.nameRows.add(r.warehouse, n.namespace, n.name, n.step, n.object[:]); err != nil {
			return err
		}
	}
	r.made, r.named = r.made[:0], r.named[:0]
	if err := r.madeRows.flush(); err != nil {
		return err
	}
	return r.nameRows.flush()
}
