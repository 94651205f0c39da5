package metadata

import (
	"github.com/go-json-experiment/json/jsontext"
)

// freshIDs numbers the fields of a new table's schema from 1: all fields of a
// struct first, then what is nested in each; a list's element; a map's key, then
// its value. It maps old ids to new ones.
func freshIDs(fields []field, ids map[int]int) map[int]int {
	for _, f := range fields {
		ids[f.id] = len(ids) + 1
	}
	for _, f := range fields {
		freshIDs(f.of.fields, ids)
	}
	return ids
}

// schema returns the request's schema with fresh ids, and the ids by old ones.
func (t NewTable) schema() (jsontext.Value, map[int]int, error) {
	if err := checkText(t.Schema, schemaWords.what); err != nil {
		return nil, nil, err
	}
	s, err := readSchema(newReader(t.Schema))
	if err != nil {
		return nil, nil, err
	}
	ids := freshIDs(s.fields, map[int]int{})
	raw, err := renumbered(t.Schema, ids)
	return raw, ids, err
}

// renumbered returns the text of a type, or of a schema, with new ids.
func renumbered(raw jsontext.Value, ids map[int]int) (jsontext.Value, error) {
	if raw.Kind() != '{' {
		return raw, nil
	}
	o, err := cutMembers(newReader(raw), "type")
	if err != nil {
		return nil, err
	}
	id := func(v jsontext.Value) (jsontext.Value, error) { return newID(v, ids) }
	inner := func(v jsontext.Value) (jsontext.Value, error) { return renumbered(v, ids) }
	fields := func(v jsontext.Value) (jsontext.Value, error) {
		return eachElement(v, func(f jsontext.Value) (jsontext.Value, error) {
			return changed(f, change{"id", id}, change{"type", inner})
		})
	}
	identifiers := func(v jsontext.Value) (jsontext.Value, error) {
		if v.Kind() == 'n' {
			return v, nil
		}
		return eachElement(v, id)
	}
	var kind string
	name, _ := o.get("type")
	if err := newReader(name).text(&kind); err != nil {
		return nil, err
	}
	switch kind {
	case typeList:
		return changed(raw, change{"element-id", id}, change{"element", inner})
	case typeMap:
		return changed(raw, change{"key-id", id}, change{"key", inner}, change{"value-id", id}, change{"value", inner})
	}
	return changed(raw, change{"fields", fields}, change{"identifier-field-ids", identifiers})
}

// change exchanges a member's value for what of makes of it, if it is there.
type change struct {
	name string
	of   func(jsontext.Value) (jsontext.Value, error)
}

// changed returns an object's text with changes made.
func changed(raw jsontext.Value, changes ...change) (jsontext.Value, error) {
	o, err := cutMembers(newReader(raw), "object")
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		v, ok := o.get(c.name)
		if !ok {
			continue
		}
		if v, err = c.of(v); err != nil {
			return nil, err
		}
		o.set(c.name, rope{v})
	}
	return o.render().bytes(), nil
}

// eachElement returns an array's text with each element changed.
func eachElement(raw jsontext.Value, change func(jsontext.Value) (jsontext.Value, error)) (jsontext.Value, error) {
	s, err := cutArray(raw, "fields", func(r *reader) (jsontext.Value, error) {
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		return change(v)
	})
	if err != nil {
		return nil, err
	}
	for i, it := range s.items {
		s.replace(i, it.of, rope{it.of})
	}
	return s.render().bytes(), nil
}

func newID(raw jsontext.Value, ids map[int]int) (jsontext.Value, error) {
	var id int
	if err := newReader(raw).int(&id); err != nil {
		return nil, err
	}
	fresh, ok := ids[id]
	if !ok {
		return nil, invalidf("Cannot find source column: no field of the schema has id %d", id)
	}
	return integer("", fresh).value, nil
}

// spec returns the request's partition spec with fresh source ids and without
// field ids, which are assigned when it is added.
func (t NewTable) spec(ids map[int]int) (Update, error) {
	raw := t.PartitionSpec
	if raw == nil || raw.Kind() == 'n' {
		raw = jsontext.Value(`{"spec-id":0,"fields":[]}`)
	}
	if err := checkText(raw, specWords.what); err != nil {
		return nil, err
	}
	if _, err := readSpec(newReader(raw)); err != nil {
		return nil, err
	}
	raw, err := resourced(raw, ids, edit{name: "field-id"})
	if err != nil {
		return nil, err
	}
	spec, err := readSpec(newReader(raw))
	return addSpec{raw, spec}, err
}

// order returns the request's sort order with fresh source ids.
func (t NewTable) order(ids map[int]int) (Update, error) {
	raw := t.WriteOrder
	if raw == nil || raw.Kind() == 'n' {
		raw = jsontext.Value(`{"order-id":0,"fields":[]}`)
	}
	if err := checkText(raw, orderWords.what); err != nil {
		return nil, err
	}
	if _, err := readOrder(newReader(raw)); err != nil {
		return nil, err
	}
	raw, err := resourced(raw, ids)
	if err != nil {
		return nil, err
	}
	order, err := readOrder(newReader(raw))
	return addSortOrder{raw, order}, err
}

// resourced returns the text of a spec or order with new source ids and edits
// made in each field.
func resourced(raw jsontext.Value, ids map[int]int, edits ...edit) (jsontext.Value, error) {
	fresh := func(v jsontext.Value) (jsontext.Value, error) { return newID(v, ids) }
	all := func(v jsontext.Value) (jsontext.Value, error) { return eachElement(v, fresh) }
	return changed(raw, change{"fields", func(v jsontext.Value) (jsontext.Value, error) {
		return eachElement(v, func(field jsontext.Value) (jsontext.Value, error) {
			field, err := changed(field, change{"source-id", fresh}, change{"source-ids", all})
			if err != nil {
				return nil, err
			}
			return edited(field, edits...)
		})
	}})
}
