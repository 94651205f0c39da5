package metadata_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"puddle/rest/metadata"
)

func TestCreateWritesWholeDocument(t *testing.T) {
	d, err := create(metadata.NewTable{
		UUID: tableID, Location: "s3://b/t/",
		Schema: jsontext.Value(`{"type":"struct","fields":[{"id":7,"name":"id","type":"long","required":true,"x-pii":true}],"identifier-field-ids":[7]}`),
	}, born, fresh)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"format-version":2,"table-uuid":"11111111-2222-4333-8444-555555555555","location":"s3://b/t",` +
		`"last-sequence-number":0,"last-updated-ms":1700000000000,"last-column-id":1,"current-schema-id":0,` +
		`"schemas":[{"type":"struct","fields":[{"id":1,"name":"id","type":"long","required":true,"x-pii":true}],"identifier-field-ids":[1],"schema-id":0}],` +
		`"default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[]}],"last-partition-id":999,` +
		`"default-sort-order-id":0,"sort-orders":[{"order-id":0,"fields":[]}],` +
		`"properties":{"write.parquet.compression-codec":"zstd"},"current-snapshot-id":-1,"refs":{},"snapshots":[],` +
		`"statistics":[],"partition-statistics":[],"snapshot-log":[],"metadata-log":[]}`
	if diff := cmp.Diff(want, string(d.Bytes())); diff != "" {
		t.Error(diff)
	}
	if got, want := d.MetadataLocation(), "s3://b/t/metadata/00000-"+fresh.String()+".metadata.json"; got != want {
		t.Errorf("metadata location %s, want %s", got, want)
	}
	reparse(t, d)
}

// TestCase109_CreateAssignsIDs: fields of a struct first, then what is nested;
// identifier, source and sort fields follow.
func TestCase109_CreateAssignsIDs(t *testing.T) {
	d, err := create(metadata.NewTable{
		UUID: tableID, Location: "s3://b/t",
		Schema: jsontext.Value(`{"type":"struct","schema-id":4,"identifier-field-ids":[30],"fields":[
			{"id":10,"name":"m","required":false,"type":{"type":"map","key-id":20,"key":"string","value-id":21,"value-required":false,
				"value":{"type":"list","element-id":22,"element":{"type":"struct","fields":[{"id":23,"name":"v","type":"int","required":false}]},"element-required":true}}},
			{"id":30,"name":"id","type":"long","required":true}]}`),
		PartitionSpec: jsontext.Value(`{"spec-id":9,"fields":[{"source-id":30,"field-id":1234,"name":"b","transform":"BUCKET[16]","x":1}]}`),
		WriteOrder:    jsontext.Value(`{"order-id":7,"fields":[{"source-id":30,"transform":"identity","direction":"asc","null-order":"nulls-last"}]}`),
	}, born, fresh)
	if err != nil {
		t.Fatal(err)
	}
	reparse(t, d)
	expect(t, d, map[string]string{
		"last-column-id":                                    "6",
		"schemas/0/schema-id":                               "0",
		"schemas/0/identifier-field-ids":                    "[2]",
		"schemas/0/fields/0/id":                             "1",
		"schemas/0/fields/1/id":                             "2",
		"schemas/0/fields/0/type/key-id":                    "3",
		"schemas/0/fields/0/type/value-id":                  "4",
		"schemas/0/fields/0/type/value/element-id":          "5",
		"schemas/0/fields/0/type/value/element/fields/0/id": "6",
		"partition-specs":                                   `[{"spec-id":0,"fields":[{"source-id":2,"name":"b","transform":"BUCKET[16]","x":1,"field-id":1000}]}]`,
		"last-partition-id":                                 "1000",
		"default-sort-order-id":                             "1",
		"sort-orders/0/order-id":                            "1",
		"sort-orders/0/fields/0/source-id":                  "2",
	})
}

func TestCreateRefuses(t *testing.T) {
	field := func(more string) string {
		return `{"type":"struct","fields":[{"id":1,"name":"id","type":"long","required":false}` + more + `]}`
	}
	tests := []struct {
		name, schema, spec, order string
		properties                map[string]string
		kind, text                string
	}{
		{name: "case 11: id twice", schema: field(`,{"id":1,"name":"b","type":"int","required":false}`), kind: "invalid", text: "multiple fields for id 1"},
		{name: "name twice", schema: field(`,{"id":2,"name":"id","type":"int","required":false}`), kind: "invalid", text: "multiple fields for name id"},
		{name: "negative id", schema: field(`,{"id":-1,"name":"b","type":"int","required":false}`), kind: "invalid", text: "negative id"},
		{name: "not whole", schema: field(`,{"id":5.0,"name":"b","type":"int","required":false}`), kind: "invalid", text: "5.0"},
		{name: "no struct", schema: `{"type":"list","fields":[]}`, kind: "invalid", text: "must be struct"},
		{name: "unknown type", schema: field(`,{"id":2,"name":"b","type":"text","required":false}`), kind: "invalid", text: "unknown type"},
		{name: "type of v3", schema: field(`,{"id":2,"name":"b","type":"variant","required":false}`), kind: "invalid", text: "variant is not supported until v3"},
		{name: "default of v3", schema: field(`,{"id":2,"name":"b","type":"int","required":false,"initial-default":1}`), kind: "invalid", text: "not supported until v3"},
		{name: "wrong default", schema: field(`,{"id":2,"name":"b","type":"int","required":false,"write-default":"x"}`), kind: "invalid", text: "no value of type int"},
		{name: "optional identifier", schema: `{"type":"struct","fields":[{"id":1,"name":"a","type":"int","required":false}],"identifier-field-ids":[1]}`, kind: "invalid", text: "is not required"},
		{name: "float identifier", schema: `{"type":"struct","fields":[{"id":1,"name":"a","type":"float","required":true}],"identifier-field-ids":[1]}`, kind: "invalid", text: "float"},
		{name: "spec of unknown column", spec: `{"spec-id":0,"fields":[{"source-id":9,"name":"p","transform":"identity"}]}`, kind: "invalid", text: "id 9"},
		{name: "transform does not fit", spec: `{"spec-id":0,"fields":[{"source-id":1,"name":"p","transform":"day"}]}`, kind: "invalid", text: "Invalid source type long"},
		{name: "unsorted with id", order: `{"order-id":3,"fields":[]}`, kind: "invalid", text: "must be 0"},
		{name: "case 20: reserved", properties: map[string]string{"current-schema": "{}"}, kind: "invalid", text: "reserved"},
		{name: "case 20: version 0", properties: map[string]string{"format-version": "0"}, kind: "invalid", text: "v0 (supported: v1 to v3)"},
		{name: "case 19: version 99", properties: map[string]string{"format-version": "99"}, kind: "invalid", text: "supported: v1 to v3"},
		{name: "version no number", properties: map[string]string{"format-version": "two"}, kind: "invalid", text: "integer"},
		{name: "retries", properties: map[string]string{"commit.retry.num-retries": "-1"}, kind: "invalid", text: "non negative"},
		{name: "metrics of no column", properties: map[string]string{"write.metadata.metrics.column.z": "full"}, kind: "invalid", text: "could not find column z"},
		{name: "invalid UTF-8", properties: map[string]string{"k": "\xff"}, kind: "invalid", text: "UTF-8"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			table := metadata.NewTable{UUID: tableID, Location: "s3://b/t", Schema: jsontext.Value(field("")), Properties: test.properties}
			if test.schema != "" {
				table.Schema = jsontext.Value(test.schema)
			}
			if test.spec != "" {
				table.PartitionSpec = jsontext.Value(test.spec)
			}
			if test.order != "" {
				table.WriteOrder = jsontext.Value(test.order)
			}
			_, err := create(table, born, fresh)
			refuse(t, err, test.kind, test.text)
		})
	}
}

// TestCase20_VersionPropertyIsNotStored also shows that metrics of nested columns
// are found by short and full names.
func TestCase20_VersionPropertyIsNotStored(t *testing.T) {
	d, err := create(metadata.NewTable{
		UUID: tableID, Location: "s3://b/t", Schema: jsontext.Value(columns),
		Properties: map[string]string{"format-version": "2", "write.metadata.metrics.column.point.x": "none", "write.parquet.compression-codec": "gzip"},
	}, born, fresh)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"write.metadata.metrics.column.point.x": "none", "write.parquet.compression-codec": "gzip"}
	if diff := cmp.Diff(want, d.Properties()); diff != "" {
		t.Error(diff)
	}
}

// TestCase12_NoColumns: an empty struct is a schema.
func TestCase12_NoColumns(t *testing.T) {
	d, err := create(metadata.NewTable{UUID: tableID, Location: "s3://b/t", Schema: jsontext.Value(`{"type":"struct","fields":[]}`)}, born, fresh)
	if err != nil {
		t.Fatal(err)
	}
	reparse(t, d)
	expect(t, d, map[string]string{"last-column-id": "0", "schemas/0/fields": "[]"})
}

const staged = `{"action":"assign-uuid","uuid":"11111111-2222-4333-8444-555555555555"},
	{"action":"upgrade-format-version","format-version":2},
	{"action":"add-schema","schema":` + columns + `,"last-column-id":4},{"action":"set-current-schema","schema-id":-1},
	{"action":"add-spec","spec":{"spec-id":0,"fields":[{"source-id":2,"field-id":1000,"name":"d","transform":"day"}]}},{"action":"set-default-spec","spec-id":-1},
	{"action":"add-sort-order","sort-order":{"order-id":0,"fields":[]}},{"action":"set-default-sort-order","sort-order-id":-1},
	{"action":"set-location","location":"s3://b/t"},{"action":"set-properties","updates":{"a":"b"}}`

func TestCommitOfStagedCreate(t *testing.T) {
	d, err := tryAt(nil, `{"type":"assert-create"}`, list(staged, addSnapshot(5, 1, ""), setMain(5)), born)
	if err != nil {
		t.Fatal(err)
	}
	reparse(t, d)
	if d.UUID() != tableID || d.MetadataLocation() != "s3://b/t/metadata/00000-"+other.String()+".metadata.json" {
		t.Errorf("created %s at %s", d.UUID(), d.MetadataLocation())
	}
	expect(t, d, map[string]string{"metadata-log": "[]", "current-snapshot-id": "5", "partition-specs/0/fields/0/field-id": "1000", "properties": `{"a":"b"}`})
}

// DuckDB commits its staged creates in this order: specs and orders come before
// the schema is made the current one (case 109).
func TestCase109_CurrentSchemaLast(t *testing.T) {
	const schemaLast = `{"action":"assign-uuid","uuid":"11111111-2222-4333-8444-555555555555"},
		{"action":"upgrade-format-version","format-version":2},
		{"action":"add-schema","schema":` + columns + `},
		{"action":"add-spec","spec":{"spec-id":0,"fields":[{"source-id":2,"field-id":1000,"name":"d","transform":"day"}]}},{"action":"set-default-spec","spec-id":0},
		{"action":"add-sort-order","sort-order":{"order-id":1,"fields":[{"source-id":1,"transform":"identity","direction":"asc","null-order":"nulls-first"}]}},
		{"action":"set-default-sort-order","sort-order-id":1},{"action":"set-location","location":"s3://b/t"}`
	d, err := tryAt(nil, `{"type":"assert-create"}`, list(schemaLast, `{"action":"set-current-schema","schema-id":0}`), born)
	if err != nil {
		t.Fatal(err)
	}
	reparse(t, d)
	expect(t, d, map[string]string{"current-schema-id": "0", "default-spec-id": "0", "default-sort-order-id": "1"})

	without := `{"action":"add-schema","schema":{"type":"struct","fields":[]}},{"action":"set-current-schema","schema-id":1}`
	_, err = tryAt(nil, `{"type":"assert-create"}`, list(schemaLast, without), born)
	refuse(t, err, "invalid", "source")
	_, err = tryAt(nil, `{"type":"assert-create"}`, schemaLast, born)
	refuse(t, err, "invalid", "current-schema-id")
	_, err = tryAt(nil, `{"type":"assert-create"}`, `{"action":"add-spec","spec":{"fields":[]}}`, born)
	refuse(t, err, "invalid", "no schema has been added")
	_, err = tryAt(nil, `{"type":"assert-create"}`, `{"action":"add-sort-order","sort-order":{"order-id":0,"fields":[]}}`, born)
	refuse(t, err, "invalid", "no schema has been added")
}

func TestCommitOfCreateRefuses(t *testing.T) {
	create := `{"type":"assert-create"}`
	tests := []struct{ name, requirements, updates, kind, text string }{
		{"nothing set", create, "", "invalid", "location"},
		{"no schema", create, `{"action":"set-location","location":"s3://b/t"}`, "invalid", "current-schema-id"},
		{"version 0", create, `{"action":"upgrade-format-version","format-version":0}`, "invalid", "v0"},
		{"version 9", create, `{"action":"upgrade-format-version","format-version":9}`, "invalid", "v9"},
		{"not asserted", "", staged, "invalid", "assert-create"},
		{"mixed", list(create, `{"type":"assert-current-schema-id","current-schema-id":0}`), staged, "invalid", "mixed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := tryAt(nil, test.requirements, test.updates, born)
			refuse(t, err, test.kind, test.text)
		})
	}
}
