package metadata

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

type addSpec struct {
	raw  jsontext.Value
	spec partitionSpec
}

func (addSpec) Action() string { return "add-spec" }

func (r *reader) addSpec() (Update, error) {
	raw, err := r.part(updateWords("add-spec", "spec"), "spec")
	if err != nil {
		return nil, err
	}
	spec, err := readSpec(newReader(raw))
	return addSpec{raw, spec}, err
}

// apply checks the spec against the schema it binds to and gives it the id of
// one that partitions alike, or the next.
func (u addSpec) apply(b *builder) error {
	schema, ok := b.boundSchema()
	if !ok {
		return invalidf("Cannot add a partition spec: no schema has been added")
	}
	added := partitionSpec{fields: b.partitionIDs(u.spec.fields)}
	for _, it := range b.specs.items {
		if it.of.same(added) {
			b.lastSpec = it.of.id
			return nil
		}
		added.id = max(added.id, it.of.id+1)
	}
	if err := added.fits(schema); err != nil {
		return err
	}
	if err := added.collides(schema); err != nil {
		return err
	}
	if b.formatVersion == 1 && !slices.EqualFunc(added.fields, sequential(added.fields), sameID) {
		return invalidf("Spec does not use sequential IDs that are required in v1: %s", excerpt(u.raw))
	}
	raw, err := u.text(added)
	if err != nil {
		return err
	}
	b.specs.append(added, rope{raw})
	b.lastPartitionID = max(b.lastPartitionID, added.highest())
	b.lastSpec = added.id
	b.changed = true
	return nil
}

func sameID(f, g partitionField) bool { return f.id == g.id }

// partitionIDs gives fields without ids the id of a field that any spec has for
// the same source and transform, or the next one (table spec, partition
// evolution; case 109). Format version 1 counts from the start in every spec.
func (b *builder) partitionIDs(given []partitionField) []partitionField {
	if b.formatVersion == 1 && len(given) > 0 && given[0].id == noID {
		return sequential(given)
	}
	fields := make([]partitionField, len(given))
	next := max(b.lastPartitionID, b.highestPartition())
	for i, f := range given {
		if f.id == noID {
			f.id = b.partitionID(f, fields[:i])
		}
		if f.id == noID {
			next++
			f.id = next
		}
		fields[i] = f
	}
	return fields
}

// partitionID finds the id of a field, unless one of those taken has it.
func (b *builder) partitionID(f partitionField, taken []partitionField) int {
	for _, it := range b.specs.items {
		for _, known := range it.of.fields {
			if known.partitionsAs(f) && !hasID(taken, known.id) {
				return known.id
			}
		}
	}
	return noID
}

func hasID(fields []partitionField, id int) bool {
	for _, f := range fields {
		if f.id == id {
			return true
		}
	}
	return false
}

// text is the client's text of the spec with its ids put in.
func (u addSpec) text(added partitionSpec) (jsontext.Value, error) {
	spec, err := cutMembers(newReader(u.raw), specWords.what)
	if err != nil {
		return nil, err
	}
	raw, _ := spec.get("fields")
	fields, err := cutArray(raw, "fields", (*reader).value)
	if err != nil {
		return nil, err
	}
	for i, f := range added.fields {
		if u.spec.fields[i].id != noID {
			continue
		}
		field, err := edited(fields.items[i].of, integer("field-id", f.id))
		if err != nil {
			return nil, err
		}
		fields.replace(i, field, rope{field})
	}
	spec.set("fields", fields.render())
	spec.set("spec-id", number(int64(added.id)))
	return spec.render().bytes(), nil
}

type setDefaultSpec struct{ id int }

func (setDefaultSpec) Action() string { return "set-default-spec" }

func (r *reader) setDefaultSpec() (Update, error) {
	id, err := r.number("set-default-spec", "spec-id")
	return setDefaultSpec{id}, err
}

func (u setDefaultSpec) apply(b *builder) error {
	id := u.id
	if id == lastAdded {
		if id = b.lastSpec; id == noID {
			return invalidf("Cannot set last added spec: no spec has been added")
		}
	}
	if _, ok := b.spec(id); !ok {
		return invalidf("Cannot set default partition spec to unknown spec: %d", id)
	}
	b.changed = b.changed || id != b.defaultSpec
	b.defaultSpec = id
	return nil
}

type removeSpecs struct{ ids []int }

func (removeSpecs) Action() string { return "remove-partition-specs" }

func (r *reader) removeSpecs() (Update, error) {
	ids, err := r.numbers("remove-partition-specs", "spec-ids")
	return removeSpecs{ids}, err
}

// apply passes over unknown ids.
func (u removeSpecs) apply(b *builder) error {
	ids := setOf(u.ids)
	if ids[b.defaultSpec] {
		return invalidf("Cannot remove the default partition spec: %d", b.defaultSpec)
	}
	if b.specs.remove(func(spec partitionSpec) bool { return ids[spec.id] }) {
		b.changed = true
	}
	return nil
}
