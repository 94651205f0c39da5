package metadata

import (
	"github.com/go-json-experiment/json/jsontext"
)

// lastAdded is the id that stands for what the last add-… resolved to.
const lastAdded = -1

type addSchema struct {
	raw    jsontext.Value
	schema schema
}

func (addSchema) Action() string { return "add-schema" }

// addSchema passes over last-column-id, which is computed.
func (r *reader) addSchema() (Update, error) {
	words := updateWords("add-schema", "schema")
	words.optional = append(words.optional, "last-column-id")
	raw, err := r.part(words, "schema")
	if err != nil {
		return nil, err
	}
	raw, s, err := readNewSchema(raw)
	return addSchema{raw, s}, err
}

// apply gives the schema the id of an equal one, or the next; the id that a
// client sends means nothing.
func (u addSchema) apply(b *builder) error {
	added := u.schema
	if err := added.checkNew(b.formatVersion); err != nil {
		return err
	}
	added.id = max(b.currentSchema, 0)
	for _, it := range b.schemas.items {
		if it.of.same(added) {
			b.lastSchema = it.of.id
			return nil
		}
		added.id = max(added.id, it.of.id+1)
	}
	raw, err := edited(u.raw, integer("schema-id", added.id))
	if err != nil {
		return err
	}
	b.schemas.append(added, rope{raw})
	b.lastColumnID = max(b.lastColumnID, added.highest)
	b.lastSchema = added.id
	b.changed = true
	return nil
}

type setCurrentSchema struct{ id int }

func (setCurrentSchema) Action() string { return "set-current-schema" }

func (r *reader) setCurrentSchema() (Update, error) {
	id, err := r.number("set-current-schema", "schema-id")
	return setCurrentSchema{id}, err
}

// apply leaves specs and orders as they are; that the default ones fit the new
// schema is checked with the finished document.
func (u setCurrentSchema) apply(b *builder) error {
	id := u.id
	if id == lastAdded {
		if id = b.lastSchema; id == noID {
			return invalidf("Cannot set last added schema: no schema has been added")
		}
	}
	if id == b.currentSchema {
		return nil
	}
	s, ok := b.schema(id)
	if !ok {
		return invalidf("Cannot set current schema to unknown schema: %d", id)
	}
	for _, it := range b.specs.items {
		if err := it.of.collides(s); err != nil {
			return err
		}
	}
	b.currentSchema = id
	b.changed = true
	return nil
}

type removeSchemas struct{ ids []int }

func (removeSchemas) Action() string { return "remove-schemas" }

func (r *reader) removeSchemas() (Update, error) {
	ids, err := r.numbers("remove-schemas", "schema-ids")
	return removeSchemas{ids}, err
}

// apply passes over unknown ids.
func (u removeSchemas) apply(b *builder) error {
	ids := setOf(u.ids)
	if ids[b.currentSchema] {
		return invalidf("Cannot remove the current schema: %d", b.currentSchema)
	}
	if b.schemas.remove(func(s schema) bool { return ids[s.id] }) {
		b.changed = true
	}
	return nil
}
