package metadata_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"puddle/rest/metadata"
)

// TestCase116_NextRowID grows by the added rows of every snapshot, once.
func TestCase116_NextRowID(t *testing.T) {
	base := grownIn(t, 3)
	expect(t, base, map[string]string{"next-row-id": "30", "snapshots/1/first-row-id": "10", "snapshots/1/added-rows": "10"})
	rows := func(first, added string) string {
		return addSnapshot(9, 4, `,"first-row-id":`+first+`,"added-rows":`+added)
	}
	expect(t, must(t, base, rows("30", "0")), map[string]string{"next-row-id": "30", "snapshots/3/first-row-id": "30"})
	expect(t, must(t, base, rows("31", "5")), map[string]string{"next-row-id": "35"})
	expect(t, must(t, base, list(rows("30", "5"), addSnapshot(10, 5, `,"first-row-id":35,"added-rows":2`))), map[string]string{"next-row-id": "37"})
	expect(t, must(t, base, list(rows("30", "5"), `{"action":"remove-snapshots","snapshot-ids":[9]}`)), map[string]string{"next-row-id": "35"})

	most := fmt.Sprint(math.MaxInt64)
	for _, test := range []struct{ more, kind, text string }{
		{`,"first-row-id":29,"added-rows":5`, "conflict", "first-row-id is behind table next-row-id: 29 < 30"},
		{``, "invalid", "first-row-id is null"},
		{`,"added-rows":5`, "invalid", "first-row-id is null"},
		{`,"first-row-id":null,"added-rows":5`, "invalid", "first-row-id is null"},
		{`,"first-row-id":30`, "invalid", "added-rows (required when first-row-id is set)"},
		{`,"first-row-id":30,"added-rows":null`, "invalid", "added-rows (required when first-row-id is set)"},
		{`,"first-row-id":-1,"added-rows":5`, "invalid", "must not be negative"},
		{`,"first-row-id":30,"added-rows":-5`, "invalid", "must not be negative"},
		{`,"first-row-id":30,"added-rows":` + most, "invalid", "no 64-bit ids"},
		{`,"first-row-id":` + most + `,"added-rows":1`, "invalid", "no 64-bit ids"},
		{`,"first-row-id":9223372036854775808,"added-rows":1`, "invalid", "64-bit"},
	} {
		_, err := try(base, addSnapshot(9, 4, test.more))
		refuse(t, err, test.kind, test.text)
	}
}

// TestCase116_ConcurrentAppends: the second of two that were made for the same
// table is a conflict, whatever branch it is for.
func TestCase116_ConcurrentAppends(t *testing.T) {
	base := grownIn(t, 3)
	d := must(t, base, list(addSnapshot(10, 4, `,"first-row-id":30,"added-rows":1`), setBranch("a", 10)))
	_, err := try(d, list(addSnapshot(11, 5, `,"first-row-id":30,"added-rows":1`), setBranch("b", 11)))
	refuse(t, err, "conflict", "behind")
}

// TestRowIDsBeforeV3 are kept, and must be a pair.
func TestRowIDsBeforeV3(t *testing.T) {
	expect(t, must(t, created(t, 2), addSnapshot(1, 1, `,"first-row-id":5,"added-rows":2`)), map[string]string{
		"snapshots/0/first-row-id": "5", "next-row-id": "absent"})
	_, err := try(created(t, 2), addSnapshot(1, 1, `,"first-row-id":5`))
	refuse(t, err, "invalid", "added-rows")
}

// TestParseV3Refuses what makes a file of format version 3 one that is not read.
func TestParseV3Refuses(t *testing.T) {
	base := must(t, grownIn(t, 3), `{"action":"add-encryption-key","encryption-key":{"key-id":"k","encrypted-key-metadata":"YWE="}}`)
	for _, test := range []struct{ old, with, text string }{
		{`"next-row-id":30,`, ``, "missing next-row-id"},
		{`"next-row-id":30,`, `"next-row-id":null,`, "next-row-id"},
		{`"next-row-id":30,`, `"next-row-id":-1,`, "must not be negative"},
		{`"next-row-id":30,`, `"next-row-id":3.0,`, "3.0"},
		{`"first-row-id":0,"added-rows":10`, `"first-row-id":0`, "added-rows"},
		{`"table-uuid":"` + tableID.String() + `",`, ``, "missing table-uuid"},
		{`"key-id":"k",`, ``, "missing key-id"},
		{`"key-id":"k",`, `"key-id":null,`, "key-id"},
		{`"YWE="`, `"!"`, "base64"},
		{`"YWE="`, `"YW\n E="`, "base64"},
		{`"YWE="}`, `"YWE=","properties":null}`, "properties"},
		{`"YWE="}`, `"YWE=","properties":{"a":1}}`, "must be a string"},
		{`"encryption-keys":[`, `"encryption-keys":null,"x":[`, "encryption-keys"},
		{`"name":"id",`, `"name":"id","write-default":null,`, "must not be null"},
	} {
		_, err := metadata.Parse([]byte(replaced(t, base, test.old, test.with)), location)
		refuse(t, err, "invalid", test.text)
	}
}

// TestCase18_EncryptionKeys are kept byte for byte through other commits.
func TestCase18_EncryptionKeys(t *testing.T) {
	key := `{ "encrypted-key-metadata" : "YWE" , "key-id":"k\u0031", "encrypted-by-id":null,"x":1.50}`
	second := `{"action":"add-encryption-key","encryption-key":{"key-id":"k2","encrypted-key-metadata":"YWE=","encrypted-by-id":"k1","properties":{"a":"b"}}}`
	d := must(t, created(t, 3), list(`{"action":"add-encryption-key","encryption-key":`+key+`}`, second))
	d = must(t, d, list(appended(3, 1, 1, `,"key-id":"k2"`), setMain(1)))
	d = must(t, d, `{"action":"set-properties","updates":{"a":"b","encryption.key-id":"k1"}}`)
	if !strings.Contains(string(d.Bytes()), key) {
		t.Errorf("the key changed:\n%s", d.Bytes())
	}
	expect(t, d, map[string]string{"encryption-keys/1/properties": `{"a":"b"}`, "snapshots/0/key-id": `"k2"`})
	for _, same := range []string{second, `{"action":"add-encryption-key","encryption-key":{"key-id":"k1","encrypted-key-metadata":"YmI="}}`} {
		if must(t, d, same) != d {
			t.Errorf("%s has an effect", same)
		}
	}
	expect(t, must(t, d, `{"action":"remove-encryption-key","key-id":"k1"}`), map[string]string{
		"encryption-keys/0/key-id": `"k2"`, "encryption-keys/1": "absent"})
	expect(t, must(t, d, list(`{"action":"remove-encryption-key","key-id":"k1"}`, `{"action":"remove-encryption-key","key-id":"k2"}`)),
		map[string]string{"encryption-keys": "[]"})
	if must(t, d, `{"action":"remove-encryption-key","key-id":"absent"}`) != d {
		t.Error("removing no key has an effect")
	}
	for key, text := range map[string]string{`{"key-id":"k"}`: "missing encrypted-key-metadata", `{"encrypted-key-metadata":""}`: "missing key-id",
		`{"key-id":"k","encrypted-key-metadata":"_-8="}`: "base64", `{"key-id":null,"encrypted-key-metadata":""}`: "key-id", `null`: "not an object"} {
		_, err := try(d, `{"action":"add-encryption-key","encryption-key":`+key+`}`)
		refuse(t, err, "invalid", text)
	}
}

// TestV3Types are refused by name before format version 3.
func TestV3Types(t *testing.T) {
	for kind, name := range map[string]string{
		"timestamp_ns": "timestamp_ns", "timestamptz_ns": "timestamptz_ns", "variant": "variant", "unknown": "unknown",
		"geometry": "geometry(OGC:CRS84)", "Geometry ( EPSG:4326 )": "geometry(EPSG:4326)", "geography": "geography(OGC:CRS84, spherical)",
		"geography(srid:1,Karney)": "geography(srid:1, karney)",
	} {
		for version := 1; version <= 2; version++ {
			_, err := try(created(t, version), withColumn(`"`+kind+`"`, ""))
			refuse(t, err, "invalid", fmt.Sprintf("Invalid schema for v%d:\n- Invalid type for c: %s is not supported until v3", version, name))
			_, err = create(metadata.NewTable{UUID: tableID, Location: "s3://b/t", Properties: map[string]string{"format-version": itoa(version)},
				Schema: jsontext.Value(`{"type":"struct","fields":[{"id":1,"name":"c","type":"` + kind + `","required":false}]}`)}, born, fresh)
			refuse(t, err, "invalid", name+" is not supported until v3")
		}
		d := must(t, created(t, 3), withColumn(`"`+kind+`"`, ""))
		expect(t, d, map[string]string{"schemas/1/fields/0/type": `"` + kind + `"`})
		if must(t, d, withColumn(`"`+strings.ToUpper(kind)+`"`, "")) != d {
			t.Errorf("%s in upper case is another type", kind)
		}
	}
	for kind, text := range map[string]string{"geometry()": "empty coordinate", "geography(,spherical)": "empty coordinate",
		"geography(a, flat)": "interpolation", "geography(a,)": "interpolation", "geometry(a)b": "unknown type"} {
		_, err := try(created(t, 3), withColumn(`"`+kind+`"`, ""))
		refuse(t, err, "invalid", text)
	}
	_, err := try(created(t, 3), `{"action":"add-schema","schema":{"type":"struct","fields":[{"id":9,"name":"c","type":"unknown","required":true}]}}`)
	refuse(t, err, "invalid", "Cannot create required field with unknown type: c")
}

// TestV3Defaults: initial defaults come with format version 3, and the types that
// default to null only.
func TestV3Defaults(t *testing.T) {
	column := withColumn(`"int"`, `,"initial-default":5,"write-default":6`)
	expect(t, must(t, created(t, 3), column), map[string]string{"schemas/1/fields/0/initial-default": "5", "schemas/1/fields/0/write-default": "6"})
	for version := 1; version <= 2; version++ {
		_, err := try(created(t, version), column)
		refuse(t, err, "invalid", "Invalid initial default for c: non-null default (5) is not supported until v3")
		must(t, created(t, version), withColumn(`"int"`, `,"write-default":6`))
	}
	for _, kind := range []string{`"variant"`, `"unknown"`, `"geometry"`, `"geography"`} {
		for _, value := range []string{`1`, `"POINT (1 1)"`, `{}`} {
			_, err := try(created(t, 3), withColumn(kind, `,"write-default":`+value))
			refuse(t, err, "invalid", "is no value of type")
		}
	}
	for kind, value := range map[string]string{`{"type":"struct","fields":[]}`: `{}`,
		`{"type":"list","element-id":20,"element":"int","element-required":true}`:                      `[1]`,
		`{"type":"map","key-id":20,"key":"int","value-id":21,"value":"string","value-required":false}`: `{"keys":[],"values":[]}`} {
		_, err := try(created(t, 3), withColumn(kind, `,"write-default":`+value))
		refuse(t, err, "invalid", "Invalid default value for c: "+value+" (must be null)")
	}
}

// TestNullDefaults from clients are left out, however deep: the Java library does
// not load them.
func TestNullDefaults(t *testing.T) {
	null := `,"initial-default": null,"write-default":null,"doc":null,"x":1`
	inner := `{"type":"struct","fields":[{"id":10,"name":"d","type":"int","required":false` + null + `}]}`
	for _, kind := range []string{`"int"`, inner, `{"type":"list","element-id":20,"element":` + inner + `,"element-required":true}`,
		`{"type":"map","key-id":20,"key":` + strings.Replace(inner, `"id":10`, `"id":30`, 1) + `,"value-id":21,"value":` + inner + `,"value-required":false}`} {
		d := must(t, created(t, 3), withColumn(kind, null))
		if text := at(t, d.Bytes(), "schemas/1"); strings.Contains(text, "default") || !strings.Contains(text, `"doc":null,"x":1`) {
			t.Errorf("kept %s", text)
		}
	}
	d, err := create(metadata.NewTable{UUID: tableID, Location: "s3://b/t", Schema: jsontext.Value(inner)}, born, fresh)
	if err != nil {
		t.Fatal(err)
	}
	reparse(t, d)
}

// TestMultiArgumentTransforms have source-ids in place of source-id, from format
// version 3 on. They are kept, and follow when ids are assigned anew.
func TestMultiArgumentTransforms(t *testing.T) {
	spec := func(sources string) string {
		return `{"action":"add-spec","spec":{"fields":[{"source-ids":` + sources + `,"name":"z","transform":"zorder"}]}}`
	}
	order := func(sources string) string {
		return `{"action":"add-sort-order","sort-order":{"order-id":1,"fields":[{"source-ids":` + sources + `,"transform":"zorder","direction":"asc","null-order":"nulls-first"}]}}`
	}
	d := must(t, created(t, 3), list(spec("[1,2]"), `{"action":"set-default-spec","spec-id":-1}`, order("[1,2]"), `{"action":"set-default-sort-order","sort-order-id":-1}`))
	expect(t, d, map[string]string{"partition-specs/1/fields/0": `{"source-ids":[1,2],"name":"z","transform":"zorder","field-id":1000}`, "sort-orders/1/fields/0/source-ids": "[1,2]"})
	if must(t, d, list(spec("[1,2]"), order("[1,2]"))) != d {
		t.Error("the same spec and order have an effect")
	}
	expect(t, must(t, d, list(spec("[1,4]"), order("[1,4]"))), map[string]string{"partition-specs/2/fields/0/field-id": "1001", "sort-orders/2/order-id": "2"})
	for _, update := range []string{spec("[1,99]"), order("[1,99]")} {
		_, err := try(d, update)
		refuse(t, err, "invalid", "Cannot find source column")
	}
	for _, update := range []string{spec("[]"), order("[]")} {
		_, err := try(d, update)
		refuse(t, err, "invalid", "missing source-id")
	}
	for _, update := range []string{spec("[1,2]"), order("[1,2]")} {
		_, err := try(created(t, 2), update)
		refuse(t, err, "invalid", "missing source-id, which v2 requires")
	}
	d, err := create(metadata.NewTable{UUID: tableID, Location: "s3://b/t", Properties: map[string]string{"format-version": "3"},
		Schema:        jsontext.Value(`{"type":"struct","fields":[{"id":7,"name":"a","type":"long","required":true},{"id":3,"name":"b","type":"long","required":true}]}`),
		PartitionSpec: jsontext.Value(`{"fields":[{"source-id":3,"source-ids":[3,7],"name":"z","transform":"zorder"}]}`)}, born, fresh)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, d, map[string]string{"partition-specs/0/fields/0/source-ids": "[2,1]", "partition-specs/0/fields/0/source-id": "2"})
}
