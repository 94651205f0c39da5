package metadata_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"puddle/rest/metadata"
)

// old is what files of format version 1 always have.
const old = `{"format-version":1,"location":"s3://b/t","last-updated-ms":1700000000000,"last-column-id":2,"x-kept": 1.0`

const (
	onlySchema = `,"schema":{"type":"struct","fields":[{"id":1, "name":"id","type":"long","required":true},{"id":2,"name":"day","type":"date","required":false}]}`
	onlySpec   = `,"partition-spec":[{"source-id":2,"name":"m","transform":"month"},{"name":"b","transform":"bucket[4]","source-id":1}]`
	lists      = `,"current-schema-id":3,"schemas":[{"schema-id":3,"type":"struct","fields":[{"id":1,"name":"id","type":"long","required":true},{"id":2,"name":"day","type":"date","required":false}]}]` +
		`,"default-spec-id":4,"partition-specs":[{"spec-id":4,"fields":[{"source-id":2,"field-id":1000,"name":"m","transform":"month"}]}]`
)

// parseOld reads a file of format version 1 that has no uuid, and gives it one.
func parseOld(t testing.TB, members string) *metadata.Document {
	t.Helper()
	d := parse(t, old+members+`}`)
	if d.HasUUID() || d.UUID() != uuid.Nil {
		t.Fatalf("uuid %s", d.UUID())
	}
	return d.WithUUID(tableID)
}

// TestCase5_OnlySingleFields: the lists are made of them, with what old writers
// left out, and both are written with the next commit.
func TestCase5_OnlySingleFields(t *testing.T) {
	base := parseOld(t, onlySchema+onlySpec)
	d := must(t, base, setLocationTo("s3://b/u"))
	expect(t, d, map[string]string{
		"current-schema-id": "0", "schemas/0/schema-id": "0", "schemas/0/fields": at(t, base.Bytes(), "schema/fields"),
		"schema": at(t, base.Bytes(), "schema"), "default-spec-id": "0", "partition-specs/0/spec-id": "0", "partition-specs/1": "absent",
		"partition-specs/0/fields/0": `{"source-id":2,"name":"m","transform":"month","field-id":1000}`,
		"partition-specs/0/fields/1": `{"name":"b","transform":"bucket[4]","source-id":1,"field-id":1001}`,
		"last-partition-id":          "1001", "default-sort-order-id": "0", "sort-orders": `[{"order-id":0,"fields":[]}]`,
		"last-sequence-number": "absent", "snapshots": "absent", "current-snapshot-id": "absent", "x-kept": "1.0",
	})
	expect(t, d, map[string]string{"partition-spec": at(t, d.Bytes(), "partition-specs/0/fields")})
	if string(d.Bytes()) != string(must(t, base, setLocationTo("s3://b/u")).Bytes()) {
		t.Error("the same commit yields another document")
	}
	expect(t, must(t, d, list(appended(1, 7, 1, ""), setMain(7))), map[string]string{"current-snapshot-id": "7", "refs/main/snapshot-id": "7"})
	expect(t, must(t, base, upgraded(2)), map[string]string{"schema": "absent", "partition-spec": "absent", "last-sequence-number": "0",
		"partition-specs": at(t, d.Bytes(), "partition-specs"), "schemas": at(t, d.Bytes(), "schemas")})
}

// TestCase5_OnlyLists: the single fields are copies of what is current.
func TestCase5_OnlyLists(t *testing.T) {
	base := parseOld(t, lists)
	d := must(t, base, setLocationTo("s3://b/u"))
	expect(t, d, map[string]string{"schema": at(t, base.Bytes(), "schemas/0"), "partition-spec": at(t, base.Bytes(), "partition-specs/0/fields"),
		"schemas": at(t, base.Bytes(), "schemas"), "current-schema-id": "3", "default-spec-id": "4", "last-partition-id": "1000"})
}

// TestCase5_ListsWin over single fields that say something else, or nothing that
// can be read.
func TestCase5_ListsWin(t *testing.T) {
	for _, single := range []string{onlySchema + onlySpec, `,"schema":null,"partition-spec":{"a":1}`} {
		base := parseOld(t, lists+single)
		expect(t, must(t, base, setLocationTo("s3://b/u")), map[string]string{"current-schema-id": "3",
			"schema": at(t, base.Bytes(), "schemas/0"), "partition-spec": at(t, base.Bytes(), "partition-specs/0/fields")})
	}
	only := parseOld(t, onlySchema+onlySpec+`,"current-schema-id":9,"default-spec-id":9,"default-sort-order-id":9,"last-partition-id":null`)
	expect(t, must(t, only, setLocationTo("s3://b/u")), map[string]string{"current-schema-id": "0", "default-spec-id": "0",
		"default-sort-order-id": "0", "last-partition-id": "1001"})
}

func TestCase5_Refused(t *testing.T) {
	for members, text := range map[string]string{
		``:             "missing schemas",
		onlySchema:     "missing partition-specs",
		onlySpec:       "missing schemas",
		`,"schema":{}`: "missing type",
		strings.Replace(lists, `"current-schema-id":3,`, ``, 1):                                         "missing current-schema-id",
		strings.Replace(lists, `"default-spec-id":4,`, ``, 1):                                           "missing default-spec-id",
		strings.Replace(lists, `"spec-id":4,`, ``, 1):                                                   "missing spec-id",
		lists + `,"sort-orders":[]`:                                                                     "missing default-sort-order-id",
		lists + `,"default-sort-order-id":1,"sort-orders":[]`:                                           "default-sort-order-id=1",
		lists + `,"schemas":null`:                                                                       "duplicate",
		strings.Replace(lists, `"default-spec-id":4`, `"default-spec-id":5`, 1):                         "default-spec-id=5",
		onlySchema + `,"partition-spec":[{"source-id":9,"name":"m","transform":"month"}]`:               "Cannot find source column",
		onlySchema + `,"partition-spec":{}`:                                                             "must be an array",
		onlySchema + onlySpec + `,"snapshots":[{"snapshot-id":1,"timestamp-ms":1}]`:                     "missing manifest-list",
		onlySchema + onlySpec + `,"snapshots":[{"snapshot-id":1,"timestamp-ms":1,"manifests":["a",1]}]`: "must be a string",
	} {
		_, err := metadata.Parse([]byte(old+members+`}`), location)
		refuse(t, err, "invalid", text)
	}
	for _, member := range []string{`"location":"s3://b/t",`, `"last-updated-ms":1700000000000,`, `"last-column-id":2,`} {
		_, err := metadata.Parse([]byte(strings.Replace(old, member, "", 1)+lists+`}`), location)
		refuse(t, err, "invalid", "missing")
	}
}

// TestCase3_NoUUID: the minted one is shown and written, the file's bytes are not
// changed, and nothing can be committed without.
func TestCase3_NoUUID(t *testing.T) {
	for _, spelled := range []string{``, `,"table-uuid":null`} {
		file := old + lists + spelled + `}`
		d := parse(t, file)
		_, err := try(d, setLocationTo("s3://b/u"))
		refuse(t, err, "invalid", "without a UUID")
		given := d.WithUUID(tableID)
		if !given.HasUUID() || given.UUID() != tableID || given.MetadataLocation() != location || d.HasUUID() || string(d.Bytes()) != file {
			t.Fatalf("%s: given %s, the file has %s", spelled, given.UUID(), d.UUID())
		}
		expect(t, given, map[string]string{"table-uuid": `"` + tableID.String() + `"`, "schema": "absent"})
		if given.WithUUID(other) != given {
			t.Error("a table that has a uuid got another")
		}
		uuid := `{"type":"assert-table-uuid","uuid":"` + tableID.String() + `"}`
		next, err := tryAt(given, uuid, `{"action":"set-properties","updates":{"a":"b"}}`, later)
		if err != nil {
			t.Fatal(err)
		}
		reparse(t, next)
		expect(t, next, map[string]string{"table-uuid": `"` + tableID.String() + `"`, "properties/a": `"b"`,
			"metadata-log/0/metadata-file": `"` + location + `"`})
		expect(t, must(t, d, `{"action":"assign-uuid","uuid":"`+other.String()+`"}`), map[string]string{"table-uuid": `"` + other.String() + `"`})
		_, err = try(given, `{"action":"assign-uuid","uuid":"`+other.String()+`"}`)
		refuse(t, err, "invalid", "reassign")
	}
}

// TestV1SingleFieldsFollow the current schema and the default spec, and are left
// alone, spelling and all, while those stay.
func TestV1SingleFieldsFollow(t *testing.T) {
	base := parse(t, replaced(t, created(t, 1), `"schema":{"type":"struct",`, `"schema":{ "x":1, "type":"struct",`))
	schema := `"schema":{ "x":1, "type":"struct",`
	d := must(t, base, list(appended(1, 1, 1, ""), setMain(1)))
	if !strings.Contains(string(d.Bytes()), schema) {
		t.Errorf("schema changed:\n%s", d.Bytes())
	}
	d = must(t, d, list(`{"action":"add-schema","schema":{"type":"struct","fields":[{"id":1,"name":"id","type":"long","required":true},{"id":2,"name":"d","type":"date","required":false,"x-new":1}]}}`,
		`{"action":"add-spec","spec":{"fields":[{"source-id":1,"name":"b","transform":"bucket[2]","x-new":2}]}}`))
	if !strings.Contains(string(d.Bytes()), schema) || at(t, d.Bytes(), "partition-spec") != "[]" {
		t.Errorf("single fields changed with the lists:\n%s", d.Bytes())
	}
	d = must(t, d, `{"action":"set-current-schema","schema-id":1},{"action":"set-default-spec","spec-id":1}`)
	expect(t, d, map[string]string{"schema": at(t, d.Bytes(), "schemas/1"), "schema/fields/1/x-new": "1", "schema/schema-id": "1",
		"partition-spec": `[{"source-id":1,"name":"b","transform":"bucket[2]","x-new":2,"field-id":1000}]`})
}

// TestV1PartitionIDs count from 1000 in every spec; a field that is dropped stays
// as a void one.
func TestV1PartitionIDs(t *testing.T) {
	bucket := `{"source-id":1,"name":"b","transform":"bucket[2]"}`
	base := must(t, created(t, 1), `{"action":"add-spec","spec":{"fields":[`+bucket+`]}},{"action":"set-default-spec","spec-id":-1}`)
	d := must(t, base, `{"action":"add-spec","spec":{"fields":[{"source-id":2,"name":"d","transform":"day"},`+bucket+`]}}`)
	expect(t, d, map[string]string{"partition-specs/2/fields/0/field-id": "1000", "partition-specs/2/fields/1/field-id": "1001", "last-partition-id": "1001"})
	d = must(t, base, `{"action":"add-spec","spec":{"fields":[{"source-id":1,"field-id":1000,"name":"b","transform":"void"},{"source-id":2,"field-id":1001,"name":"d","transform":"day"}]}},{"action":"set-default-spec","spec-id":-1}`)
	d = must(t, d, `{"action":"add-schema","schema":{"type":"struct","fields":[{"id":2,"name":"day","type":"date","required":false}]}},{"action":"set-current-schema","schema-id":-1}`)
	expect(t, d, map[string]string{"partition-spec/0/transform": `"void"`, "partition-spec/0/source-id": "1", "schema/schema-id": "1"})
	for _, ids := range []string{`"field-id":1001,`, `"field-id":1,`} {
		_, err := try(base, `{"action":"add-spec","spec":{"fields":[{"source-id":2,`+ids+`"name":"d","transform":"day"}]}}`)
		refuse(t, err, "invalid", "Spec does not use sequential IDs that are required in v1")
	}
	must(t, created(t, 2), `{"action":"add-spec","spec":{"fields":[{"source-id":2,"field-id":1007,"name":"d","transform":"day"}]}}`)
}

// TestV1Snapshots have no sequence numbers, and may list their manifests.
func TestV1Snapshots(t *testing.T) {
	listed := `{"action":"add-snapshot","snapshot":{"snapshot-id":1,"timestamp-ms":5,"sequence-number":0,"manifests":["s3://b/m1.avro","s3://b/m2.avro"]}}`
	d := must(t, created(t, 1), list(listed, setMain(1)))
	d = must(t, d, list(appended(1, 2, 2, `,"parent-snapshot-id":1`), setMain(2)))
	expect(t, d, map[string]string{"snapshots/0/manifests": `["s3://b/m1.avro","s3://b/m2.avro"]`, "last-sequence-number": "absent"})
	expect(t, must(t, d, list(upgraded(2), addSnapshot(3, 1, `,"parent-snapshot-id":2`))), map[string]string{
		"snapshots/0/manifests": `["s3://b/m1.avro","s3://b/m2.avro"]`, "last-sequence-number": "1"})
	_, err := try(created(t, 1), addSnapshot(1, 1, ""))
	refuse(t, err, "invalid", "Sequence number must be 0 in v1: 1")
	_, err = try(created(t, 2), listed)
	refuse(t, err, "invalid", "missing manifest-list, which v2 requires")
	_, err = try(d, appended(1, 2, 3, ""))
	refuse(t, err, "conflict", "2 is present")
}
