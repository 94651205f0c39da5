package manifest

import (
	"fmt"
	"slices"

	"github.com/twmb/avro"
)

// field is a field that is read: by name, with the id of the Iceberg spec.
type field struct {
	name     string
	id       int64
	required bool
	fields   []field // of a record inside
}

// project is the writer's schema without the fields that nobody asked for, in the
// writer's own types.
func project(writer *avro.SchemaNode, want []field) (*avro.Schema, error) {
	kept, err := keep(*writer, want)
	if err != nil {
		return nil, err
	}
	return kept.Schema(names)
}

func keep(record avro.SchemaNode, want []field) (avro.SchemaNode, error) {
	if record.Type != "record" {
		return record, fmt.Errorf("the schema has a %s where a record is expected", record.Type)
	}
	there := record.Fields
	record.Fields = make([]avro.SchemaField, 0, len(want))
	for _, f := range want {
		at := slices.IndexFunc(there, func(have avro.SchemaField) bool { return have.Name == f.name })
		if at < 0 && f.required {
			return record, fmt.Errorf("the schema has no field %s", f.name)
		}
		if at < 0 {
			continue
		}
		have := there[at]
		if id, given := have.Props["field-id"]; given && id != f.id {
			return record, fmt.Errorf("the field %s has the id %v, not %d", f.name, id, f.id)
		}
		if f.fields != nil {
			inner, err := keep(have.Type, f.fields)
			if err != nil {
				return record, err
			}
			have.Type = inner
		}
		record.Fields = append(record.Fields, have)
	}
	return record, nil
}
