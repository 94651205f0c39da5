package metadata

import (
	"github.com/go-json-experiment/json/jsontext"
)

type addSortOrder struct {
	raw   jsontext.Value
	order sortOrder
}

func (addSortOrder) Action() string { return "add-sort-order" }

func (r *reader) addSortOrder() (Update, error) {
	raw, err := r.part(updateWords("add-sort-order", "sort-order"), "sort-order")
	if err != nil {
		return nil, err
	}
	order, err := readOrder(newReader(raw))
	return addSortOrder{raw, order}, err
}

// apply gives the order the id of one that sorts alike, or the next from 1; an
// order without fields has id 0.
func (u addSortOrder) apply(b *builder) error {
	schema, ok := b.boundSchema()
	if !ok {
		return invalidf("Cannot add a sort order: no schema has been added")
	}
	added := u.order
	added.id = unsortedID + 1
	if len(added.fields) == 0 {
		added.id = unsortedID
	}
	for _, it := range b.orders.items {
		if it.of.same(added) {
			b.lastOrder = it.of.id
			return nil
		}
		if len(added.fields) > 0 {
			added.id = max(added.id, it.of.id+1)
		}
	}
	if err := added.fits(schema); err != nil {
		return err
	}
	raw, err := edited(u.raw, integer("order-id", added.id))
	if err != nil {
		return err
	}
	b.orders.append(added, rope{raw})
	b.lastOrder = added.id
	b.changed = true
	return nil
}

type setDefaultSortOrder struct{ id int }

func (setDefaultSortOrder) Action() string { return "set-default-sort-order" }

func (r *reader) setDefaultSortOrder() (Update, error) {
	id, err := r.number("set-default-sort-order", "sort-order-id")
	return setDefaultSortOrder{id}, err
}

func (u setDefaultSortOrder) apply(b *builder) error {
	id := u.id
	if id == lastAdded {
		if id = b.lastOrder; id == noID {
			return invalidf("Cannot set last added sort order: no sort order has been added")
		}
	}
	if _, ok := b.order(id); !ok {
		return invalidf("Cannot set default sort order to unknown order: %d", id)
	}
	b.changed = b.changed || id != b.defaultOrder
	b.defaultOrder = id
	return nil
}
