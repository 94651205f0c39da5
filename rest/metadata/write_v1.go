package metadata

import "slices"

// single tells whether a member is one of those that format version 1 has beside
// its lists, for readers that know no lists. An upgrade takes it out.
func (w *writer) single(name string, was int) bool {
	if was == 1 && w.state.formatVersion > 1 {
		w.top.drop(name)
	}
	return w.state.formatVersion == 1
}

// singleSchema keeps schema a copy of the current one.
func (w *writer) singleSchema(was int) {
	if !w.single("schema", was) {
		return
	}
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

// singleSpec keeps partition-spec a copy of the default spec's fields.
func (w *writer) singleSpec(was int) {
	if !w.single("partition-spec", was) {
		return
	}
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
