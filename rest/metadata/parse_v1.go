package metadata

import "github.com/go-json-experiment/json/jsontext"

// completeV1 fills in what files of format version 1 may leave out, as the Java
// library reads them: a list wins over the single field that older writers have
// instead (case 5). What the text lacks is owed.
func (d *Document) completeV1() error {
	for _, fill := range []func() error{d.fillSchemas, d.fillSpecs, d.numberSpecs, d.fillOrders} {
		if err := fill(); err != nil {
			return err
		}
	}
	if raw, ok := d.top.get("last-partition-id"); !ok || raw.Kind() == 'n' {
		d.state.lastPartitionID = d.state.highestPartition()
		d.state.owe("last-partition-id")
	}
	return nil
}

func (d *Document) fillSchemas() error {
	if d.top.place("schemas") >= 0 {
		return d.need("current-schema-id")
	}
	raw, ok := d.top.get("schema")
	if !ok {
		return d.need("schemas")
	}
	only, err := readStoredSchema(newReader(raw))
	if err != nil {
		return topWords.wrap("schema", err)
	}
	text, err := edited(raw, integer("schema-id", only.id))
	if err != nil {
		return err
	}
	d.state.schemas.items = []item[schema]{{of: only, fresh: rope{text}}}
	d.state.currentSchema = only.id
	d.state.owe("schemas", "current-schema-id")
	return nil
}

func (d *Document) fillSpecs() error {
	if d.top.place("partition-specs") >= 0 {
		return d.need("default-spec-id")
	}
	raw, ok := d.top.get("partition-spec")
	if !ok {
		return d.need("partition-specs")
	}
	text := rope{[]byte(`{"spec-id":0,"fields":`), raw, []byte(`}`)}
	only, err := readSpec(newReader(text.bytes()))
	if err != nil {
		return topWords.wrap("partition-spec", err)
	}
	d.state.specs.items = []item[partitionSpec]{{of: only, fresh: text}}
	d.state.defaultSpec = only.id
	d.state.owe("partition-specs", "default-spec-id")
	return nil
}

// numberSpecs gives the fields of old specs the ids that every reader counts out
// for them.
func (d *Document) numberSpecs() error {
	specs := &d.state.specs
	for i := range specs.items {
		it := &specs.items[i]
		if it.of.id == noID {
			return invalidf("invalid partition spec: missing spec-id")
		}
		if len(it.of.fields) == 0 || it.of.fields[0].id != noID {
			continue
		}
		numbered := partitionSpec{it.of.id, sequential(it.of.fields)}
		text, err := addSpec{specs.text(i), it.of}.text(numbered)
		if err != nil {
			return err
		}
		it.of, it.fresh = numbered, rope{text}
		d.state.owe("partition-specs")
	}
	return nil
}

func (d *Document) fillOrders() error {
	if d.top.place("sort-orders") >= 0 {
		return d.need("default-sort-order-id")
	}
	unsorted := jsontext.Value(`{"order-id":0,"fields":[]}`)
	d.state.orders.items = []item[sortOrder]{{of: sortOrder{id: unsortedID}, fresh: rope{unsorted}}}
	d.state.defaultOrder = unsortedID
	d.state.owe("sort-orders", "default-sort-order-id")
	return nil
}
