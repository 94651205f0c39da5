package metadata

import "slices"

// singles keeps the fields that format version 1 has beside its lists, for
// readers that know no lists: schema, a copy of the current one, and
// partition-spec, the fields of the default one. An upgrade takes them out.
func (w *writer) singles(was int) {
	switch {
	case w.state.formatVersion == 1:
		w.currentSchema()
		w.defaultSpec()
	case was == 1:
		w.top.drop("schema")
		w.top.drop("partition-spec")
	}
}

func (w *writer) currentSchema() {
	schemas := &w.state.schemas
	i := schemas.index(func(s schema) bool { return s.id == w.state.currentSchema })
	current := schemas.items[i].of
	if raw, ok := w.top.get("schema"); ok {
		there, err := readStoredSchema(newReader(raw))
		if err == nil && there.id == current.id && there.same(current) {
			return
		}
	}
	w.top.set("schema", rope{schemas.text(i)})
}

func (w *writer) defaultSpec() {
	specs := &w.state.specs
	i := specs.index(func(s partitionSpec) bool { return s.id == w.state.defaultSpec })
	if raw, ok := w.top.get("partition-spec"); ok {
		there, err := cutArray(raw, "partition-spec", (*reader).partitionField)
		if err == nil && slices.EqualFunc(there.items, specs.items[i].of.fields, sameField) {
			return
		}
	}
	// A spec is in the list after its text was read: it has fields.
	spec, _ := cutMembers(newReader(specs.text(i)), specWords.what)
	fields, _ := spec.get("fields")
	w.top.set("partition-spec", rope{fields})
}

func sameField(there item[partitionField], f partitionField) bool {
	return there.of.id == f.id && there.of.name == f.name && there.of.partitionsAs(f)
}
