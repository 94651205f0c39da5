package metadata_test

import (
	"testing"

	"puddle/rest/metadata"
)

// effects are updates that change a table; base is newTable unless grown is set.
var effects = []struct {
	name    string
	grown   bool
	updates string
	want    map[string]string
}{
	{"set-location", false, `{"action":"set-location","location":"s3://b/u"}`,
		map[string]string{"location": `"s3://b/u"`}},
	{"actions in any case", false, `{"action":"Set-Location","location":"s3://b/u","x":1}`,
		map[string]string{"location": `"s3://b/u"`}},
	{"set-properties", false, `{"action":"set-properties","updates":{"owner":"you","n":"\u00e9\n"}}`,
		map[string]string{"properties": `{"owner":"you","write.parquet.compression-codec":"zstd","n":"é\n"}`}},
	{"set-properties of old clients", false, `{"action":"set-properties","updated":{"a":"b"}}`,
		map[string]string{"properties/a": `"b"`}},
	{"case 20: equal version is not stored", false, `{"action":"set-properties","updates":{"format-version":"2","a":"b"}}`,
		map[string]string{"properties/format-version": "absent", "properties/a": `"b"`}},
	{"remove-properties", false, `{"action":"remove-properties","removals":["owner","absent"]}`,
		map[string]string{"properties": `{"write.parquet.compression-codec":"zstd"}`}},
	{"remove-properties of old clients", false, `{"action":"remove-properties","removed":["owner"]}`,
		map[string]string{"properties/owner": "absent"}},
	{"add-schema", false, `{"action":"add-schema","last-column-id":4,"schema":{"type":"struct","schema-id":9,"fields":[{"id":8,"name":"c","type":"string","required":false,"x":"y"}]}}`,
		map[string]string{"current-schema-id": "0", "last-column-id": "8",
			"schemas/1": `{"type":"struct","schema-id":1,"fields":[{"id":8,"name":"c","type":"string","required":false,"x":"y"}]}`}},
	{"set-current-schema to the last added", false, list(
		`{"action":"add-schema","schema":{"type":"struct","fields":[{"id":1,"name":"id","type":"long","required":true}]}}`,
		`{"action":"set-current-schema","schema-id":-1}`),
		map[string]string{"current-schema-id": "1", "last-column-id": "4"}},
	{"case 12: schema without columns", false, list(`{"action":"add-schema","schema":{"type":"struct","fields":[]}}`,
		`{"action":"set-current-schema","schema-id":1}`),
		map[string]string{"current-schema-id": "1", "last-column-id": "4"}},
	{"-1 is what an equal schema resolved to", false, list(
		`{"action":"add-schema","schema":{"type":"struct","fields":[]}}`, `{"action":"set-current-schema","schema-id":-1}`,
		`{"action":"add-schema","schema":`+columns+`}`, `{"action":"set-current-schema","schema-id":-1}`, addSnapshot(1, 1, "")),
		map[string]string{"current-schema-id": "0", "schemas/2": "absent"}},
	{"remove-schemas", false, list(`{"action":"add-schema","schema":{"type":"struct","fields":[]}}`,
		`{"action":"set-current-schema","schema-id":1}`, `{"action":"remove-schemas","schema-ids":[0,77]}`),
		map[string]string{"schemas": `[{"type":"struct","fields":[],"schema-id":1}]`}},
	{"add-spec with ids", false, list(`{"action":"add-spec","spec":{"fields":[{"source-id":1,"field-id":1007,"name":"b","transform":"bucket[4]"}]}}`,
		`{"action":"set-default-spec","spec-id":-1}`),
		map[string]string{"default-spec-id": "1", "last-partition-id": "1007", "partition-specs/1/spec-id": "1"}},
	{"add-spec without ids", false, list(
		`{"action":"add-spec","spec":{"fields":[{"source-id":1,"name":"b","transform":"bucket[4]"}]}}`,
		`{"action":"add-spec","spec":{"fields":[{"source-id":2,"name":"d","transform":"day"},{"source-id":1,"name":"c","transform":"bucket[4]"}]}}`),
		map[string]string{"last-partition-id": "1001", "partition-specs/2/fields/0/field-id": "1001", "partition-specs/2/fields/1/field-id": "1000"}},
	{"add-spec that is there already", false, list(
		`{"action":"add-spec","spec":{"spec-id":5,"fields":[{"source-id":1,"name":"b","transform":"bucket[4]"}]}}`,
		`{"action":"add-spec","spec":{"spec-id":6,"fields":[{"source-id":1,"field-id":2000,"name":"b","transform":"bucket[4]"}]}}`,
		`{"action":"set-default-spec","spec-id":-1}`),
		map[string]string{"default-spec-id": "1", "partition-specs/2": "absent", "last-partition-id": "1000"}},
	{"identity has the name of its column", false, `{"action":"add-spec","spec":{"fields":[{"source-id":1,"name":"id","transform":"identity"}]}}`,
		map[string]string{"partition-specs/1/fields/0/name": `"id"`}},
	{"nested source", false, `{"action":"add-spec","spec":{"fields":[{"source-id":4,"name":"x","transform":"identity"}]}}`,
		map[string]string{"partition-specs/1/fields/0/source-id": "4"}},
	{"remove-partition-specs", false, list(`{"action":"add-spec","spec":{"fields":[{"source-id":1,"name":"b","transform":"bucket[4]"}]}}`,
		`{"action":"set-default-spec","spec-id":1}`, `{"action":"remove-partition-specs","spec-ids":[0,5]}`),
		map[string]string{"partition-specs/0/spec-id": "1", "partition-specs/1": "absent"}},
	{"ids of removed specs are not given again", false, list(
		`{"action":"add-spec","spec":{"fields":[{"source-id":1,"name":"b","transform":"bucket[4]"}]}}`, `{"action":"remove-partition-specs","spec-ids":[1]}`,
		`{"action":"add-spec","spec":{"fields":[{"source-id":2,"name":"d","transform":"day"}]}}`),
		map[string]string{"partition-specs/1/fields/0/field-id": "1001", "last-partition-id": "1001"}},
	{"add-sort-order", false, list(`{"action":"add-sort-order","sort-order":{"order-id":9,"fields":[{"source-id":1,"transform":"identity","direction":"DESC","null-order":"nulls-first"}]}}`,
		`{"action":"set-default-sort-order","sort-order-id":-1}`),
		map[string]string{"default-sort-order-id": "1", "sort-orders/1/order-id": "1", "sort-orders/1/fields/0/direction": `"DESC"`}},
	{"unsorted after sorted", false, list(`{"action":"add-sort-order","sort-order":{"order-id":1,"fields":[{"source-id":1,"transform":"identity","direction":"asc","null-order":"nulls-first"}]}}`,
		`{"action":"add-sort-order","sort-order":{"order-id":0,"fields":[]}}`, `{"action":"set-default-sort-order","sort-order-id":-1}`),
		map[string]string{"default-sort-order-id": "0", "sort-orders/2": "absent"}},
	{"add-snapshot moves no reference", false, addSnapshot(7, 1, ""),
		map[string]string{"last-sequence-number": "1", "current-snapshot-id": "-1", "refs": "{}", "snapshot-log": "[]", "snapshots/0/snapshot-id": "7"}},
	{"case 8: null parent is omitted", false, addSnapshot(7, 1, `,"parent-snapshot-id":null,"key-id":"k"`),
		map[string]string{"snapshots/0/parent-snapshot-id": "absent", "snapshots/0/key-id": `"k"`}},
	{"case 13: no operation", false, `{"action":"add-snapshot","snapshot":{"snapshot-id":1,"timestamp-ms":5,"manifest-list":"m","summary":{ "a":"b"}}}`,
		map[string]string{"snapshots/0/summary": `{"a":"b","operation":"overwrite"}`}},
	{"case 13: empty summary", false, `{"action":"add-snapshot","snapshot":{"snapshot-id":1,"timestamp-ms":5,"manifest-list":"m","summary":{ }}}`,
		map[string]string{"snapshots/0/summary": "absent"}},
	{"case 14: ids of 64 bits", false, list(addSnapshot(9223372036854775807, 1, ""), addSnapshot(9007199254740993, 2, `,"parent-snapshot-id":9223372036854775807`), setMain(9007199254740993)),
		map[string]string{"current-snapshot-id": "9007199254740993", "snapshots/1/parent-snapshot-id": "9223372036854775807", "refs/main/snapshot-id": "9007199254740993"}},
	{"set main", true, setMain(3),
		map[string]string{"current-snapshot-id": "3", "refs/main/snapshot-id": "3", "snapshot-log/2": `{"timestamp-ms":1700000001000,"snapshot-id":3}`}},
	{"retention is replaced", true, list(
		`{"action":"set-snapshot-ref","ref-name":"dev","type":"branch","snapshot-id":3,"min-snapshots-to-keep":5,"max-ref-age-ms":10}`,
		`{"action":"set-snapshot-ref","ref-name":"dev","type":"branch","snapshot-id":2,"max-snapshot-age-ms":7,"max-ref-age-ms":null}`),
		map[string]string{"refs/dev": `{"snapshot-id":2,"type":"branch","max-snapshot-age-ms":7}`}},
	{"retention of main is no history", true, `{"action":"set-snapshot-ref","ref-name":"main","type":"BRANCH","snapshot-id":2,"min-snapshots-to-keep":1}`,
		map[string]string{"refs/main/min-snapshots-to-keep": "1", "snapshot-log/2": "absent"}},
	{"tag", true, `{"action":"set-snapshot-ref","ref-name":"v1","type":"tag","snapshot-id":1,"max-ref-age-ms":10}`,
		map[string]string{"refs/v1": `{"snapshot-id":1,"type":"tag","max-ref-age-ms":10}`}},
	{"remove-snapshot-ref", true, `{"action":"remove-snapshot-ref","ref-name":"dev"}`,
		map[string]string{"refs/dev": "absent", "current-snapshot-id": "2"}},
	{"remove main", true, `{"action":"remove-snapshot-ref","ref-name":"main"}`,
		map[string]string{"refs/main": "absent", "current-snapshot-id": "-1", "snapshot-log/1/snapshot-id": "2", "snapshot-log/2": "absent"}},
	{"remove-snapshots with what belongs to them", true, list(statistics(3), statistics(2), partitionStatistics(3),
		`{"action":"remove-snapshots","snapshot-ids":[3,99]}`),
		map[string]string{"snapshots/2": "absent", "refs/dev": "absent", "statistics/0/snapshot-id": "2", "statistics/1": "absent", "partition-statistics": "[]"}},
	{"remove the current snapshot", true, `{"action":"remove-snapshots","snapshot-ids":[2]}`,
		map[string]string{"current-snapshot-id": "-1", "refs/main": "absent", "snapshot-log": "[]"}},
	{"set-statistics replaces", true, list(statistics(2), `{"action":"set-statistics","snapshot-id":2,"statistics":{"snapshot-id":2,"statistics-path":"new","file-size-in-bytes":1,"file-footer-size-in-bytes":1,"blob-metadata":[],"key-metadata":"k"}}`),
		map[string]string{"statistics/0/statistics-path": `"new"`, "statistics/0/key-metadata": `"k"`, "statistics/1": "absent"}},
	{"statistics of no snapshot", true, statistics(77), map[string]string{"statistics/0/snapshot-id": "77"}},
	{"remove-statistics", true, list(statistics(2), `{"action":"remove-statistics","snapshot-id":2}`, setBranch("x", 1)),
		map[string]string{"statistics": "[]"}},
	{"set-partition-statistics", true, partitionStatistics(2), map[string]string{"partition-statistics/0/file-size-in-bytes": "9"}},
	{"remove-partition-statistics", true, list(partitionStatistics(2), `{"action":"remove-partition-statistics","snapshot-id":2}`, setBranch("x", 1)),
		map[string]string{"partition-statistics": "[]"}},
}

func statistics(id int) string {
	return `{"action":"set-statistics","statistics":{"snapshot-id":` + itoa(id) + `,"statistics-path":"p","file-size-in-bytes":9,"file-footer-size-in-bytes":1,` +
		`"blob-metadata":[{"type":"t","snapshot-id":1,"sequence-number":1,"fields":[1],"properties":{"ndv":"2"}}]}}`
}

func partitionStatistics(id int) string {
	return `{"action":"set-partition-statistics","partition-statistics":{"snapshot-id":` + itoa(id) + `,"statistics-path":"p","file-size-in-bytes":9}}`
}

func TestUpdates(t *testing.T) {
	for _, test := range effects {
		t.Run(test.name, func(t *testing.T) {
			base := newTable(t)
			if test.grown {
				base = grown(t)
			}
			before := string(base.Bytes())
			d := must(t, base, test.updates)
			expect(t, d, test.want)
			if d == base {
				t.Error("nothing changed")
			}
			if string(base.Bytes()) != before {
				t.Error("the base changed")
			}
		})
	}
}

// TestCase128_NoEffect: what changes nothing returns the base itself.
func TestCase128_NoEffect(t *testing.T) {
	base := must(t, grown(t), list(statistics(2), partitionStatistics(2)))
	tests := []string{
		``,
		`{"action":"assign-uuid","uuid":"11111111-2222-4333-8444-555555555555"}`,
		`{"action":"upgrade-format-version","format-version":2}`,
		`{"action":"set-location","location":"s3://b/t"}`,
		`{"action":"set-properties","updates":{"owner":"me"}}`,
		`{"action":"set-properties","updates":{"format-version":"2"}}`,
		`{"action":"remove-properties","removals":["absent"]}`,
		`{"action":"add-schema","schema":` + columns + `},{"action":"set-current-schema","schema-id":-1}`,
		`{"action":"add-spec","spec":{"fields":[]}},{"action":"set-default-spec","spec-id":-1}`,
		`{"action":"add-sort-order","sort-order":{"order-id":0,"fields":[]}},{"action":"set-default-sort-order","sort-order-id":-1}`,
		`{"action":"set-default-spec","spec-id":0},{"action":"set-default-sort-order","sort-order-id":0},{"action":"set-current-schema","schema-id":0}`,
		`{"action":"remove-schemas","schema-ids":[5]},{"action":"remove-partition-specs","spec-ids":[5]}`,
		setMain(2), setBranch("dev", 3),
		`{"action":"remove-snapshot-ref","ref-name":"absent"}`,
		`{"action":"remove-snapshots","snapshot-ids":[99]}`,
		statistics(2), partitionStatistics(2),
		`{"action":"remove-statistics","snapshot-id":99},{"action":"remove-partition-statistics","snapshot-id":99}`,
		`{"action":"remove-encryption-key","key-id":"absent"}`,
	}
	for _, updates := range tests {
		if d, err := try(base, updates); err != nil || d != base {
			t.Errorf("%s: %v, new document %t", updates, err, d != base)
		}
	}
}

// refusals are updates that the table of grown does not take.
var refusals = []struct{ name, updates, kind, text string }{
	{"assign another uuid", `{"action":"assign-uuid","uuid":"99999999-2222-4333-8444-555555555555"}`, "invalid", "reassign"},
	{"assign no uuid", `{"action":"assign-uuid","uuid":null}`, "invalid", "uuid"},
	{"downgrade", `{"action":"upgrade-format-version","format-version":1}`, "invalid", "downgrade"},
	{"upgrade to 4", `{"action":"upgrade-format-version","format-version":4}`, "invalid", "supported: v1 to v3"},
	{"case 20: downgrade by property", `{"action":"set-properties","updates":{"format-version":"1"}}`, "invalid", "downgrade"},
	{"case 20: reserved", `{"action":"set-properties","updates":{"current-snapshot-id":"1"}}`, "invalid", "reserved"},
	{"null property", `{"action":"set-properties","updates":{"a":null}}`, "invalid", "property a"},
	{"no updates", `{"action":"set-properties"}`, "invalid", "missing updates"},
	{"case 127: versions", `{"action":"set-properties","updates":{"write.metadata.previous-versions-max":"x"}}`, "invalid", "integer"},
	{"codec", `{"action":"set-properties","updates":{"write.metadata.compression-codec":"zip"}}`, "invalid", "none or gzip"},
	{"empty path", `{"action":"set-properties","updates":{"write.metadata.path":"/"}}`, "invalid", "must not be empty"},
	{"encryption", `{"action":"set-properties","updates":{"encryption.key-id":"k"}}`, "invalid", "format version 3"},
	{"empty location", `{"action":"set-location","location":""}`, "invalid", "empty"},
	{"unknown current schema", `{"action":"set-current-schema","schema-id":4}`, "invalid", "unknown schema"},
	{"no schema added", `{"action":"set-current-schema","schema-id":-1}`, "invalid", "no schema has been added"},
	{"remove the current schema", `{"action":"remove-schemas","schema-ids":[0]}`, "invalid", "current schema"},
	{"case 11: reserved field id", `{"action":"add-schema","schema":{"type":"struct","fields":[{"id":2147483540,"name":"c","type":"int","required":false}]}}`, "invalid", "reserved"},
	{"case 9: not a struct", `{"action":"add-schema","schema":null}`, "invalid", "not an object"},
	{"unknown default spec", `{"action":"set-default-spec","spec-id":4}`, "invalid", "unknown spec"},
	{"no spec added", `{"action":"set-default-spec","spec-id":-1}`, "invalid", "no spec has been added"},
	{"remove the default spec", `{"action":"remove-partition-specs","spec-ids":[0]}`, "invalid", "default partition spec"},
	{"some field ids", `{"action":"add-spec","spec":{"fields":[{"source-id":1,"field-id":1000,"name":"a","transform":"void"},{"source-id":2,"name":"b","transform":"void"}]}}`, "invalid", "missing field ids"},
	{"name of another column", `{"action":"add-spec","spec":{"fields":[{"source-id":1,"name":"day","transform":"identity"}]}}`, "invalid", "exists in schema"},
	{"empty name", `{"action":"add-spec","spec":{"fields":[{"source-id":1,"name":"","transform":"identity"}]}}`, "invalid", "empty partition name"},
	{"name twice", `{"action":"add-spec","spec":{"fields":[{"source-id":1,"name":"a","transform":"void"},{"source-id":2,"name":"a","transform":"void"}]}}`, "invalid", "more than once"},
	{"struct as source", `{"action":"add-spec","spec":{"fields":[{"source-id":3,"name":"a","transform":"identity"}]}}`, "invalid", "non-primitive"},
	{"bucket of nothing", `{"action":"add-spec","spec":{"fields":[{"source-id":1,"name":"a","transform":"bucket[0]"}]}}`, "invalid", "width"},
	{"unknown default order", `{"action":"set-default-sort-order","sort-order-id":4}`, "invalid", "unknown order"},
	{"no order added", `{"action":"set-default-sort-order","sort-order-id":-1}`, "invalid", "no sort order has been added"},
	{"order of no column", `{"action":"add-sort-order","sort-order":{"order-id":1,"fields":[{"source-id":9,"transform":"identity","direction":"asc","null-order":"nulls-first"}]}}`, "invalid", "sort field"},
	{"void order of no column", `{"action":"add-sort-order","sort-order":{"order-id":1,"fields":[{"source-id":9,"transform":"void","direction":"asc","null-order":"nulls-first"}]}}`, "invalid", "Cannot find source column for sort field"},
	{"order without direction", `{"action":"add-sort-order","sort-order":{"order-id":1,"fields":[{"source-id":1,"transform":"identity","direction":"up","null-order":"nulls-first"}]}}`, "invalid", "asc or desc"},
	{"order 0 with fields", `{"action":"add-sort-order","sort-order":{"order-id":0,"fields":[{"source-id":1,"transform":"identity","direction":"asc","null-order":"nulls-first"}]}}`, "invalid", "reserved"},
	{"case 117: snapshot is there", addSnapshot(2, 9, ""), "conflict", "present"},
	{"case 114: stale sequence number", addSnapshot(9, 3, `,"parent-snapshot-id":2`), "conflict", "sequence number"},
	{"stale sequence number of a root", addSnapshot(9, 2, ""), "conflict", "sequence number"},
	{"case 9: snapshot without id", `{"action":"add-snapshot","snapshot":{"timestamp-ms":1,` + manifests + `}}`, "invalid", "missing snapshot-id"},
	{"case 9: snapshot without time", `{"action":"add-snapshot","snapshot":{"snapshot-id":1,` + manifests + `}}`, "invalid", "missing timestamp-ms"},
	{"case 9: no snapshot", `{"action":"add-snapshot","snapshot":null}`, "invalid", "not an object"},
	{"case 14: exponent", `{"action":"add-snapshot","snapshot":{"snapshot-id":1e3,"timestamp-ms":1,` + manifests + `}}`, "invalid", "1e3"},
	{"case 14: fraction", `{"action":"add-snapshot","snapshot":{"snapshot-id":5.0,"timestamp-ms":1,` + manifests + `}}`, "invalid", "5.0"},
	{"case 13: summary with a number", `{"action":"add-snapshot","snapshot":{"snapshot-id":1,"timestamp-ms":1,"manifest-list":"m","summary":{"operation":"append","n":1}}}`, "invalid", "must be a string"},
	{"case 13: null summary", `{"action":"add-snapshot","snapshot":{"snapshot-id":1,"timestamp-ms":1,"manifest-list":"m","summary":null}}`, "invalid", "summary"},
	{"no manifest list", `{"action":"add-snapshot","snapshot":{"snapshot-id":1,"timestamp-ms":1,"summary":{"operation":"append"}}}`, "invalid", "manifest-list"},
	{"case 21: reference to nothing", setBranch("x", 99), "invalid", "unknown snapshot"},
	{"case 21: main as a tag", `{"action":"set-snapshot-ref","ref-name":"main","type":"tag","snapshot-id":1}`, "invalid", "main must be a branch"},
	{"tag that keeps snapshots", `{"action":"set-snapshot-ref","ref-name":"v","type":"tag","snapshot-id":1,"min-snapshots-to-keep":1}`, "invalid", "Tags"},
	{"no retention", `{"action":"set-snapshot-ref","ref-name":"v","type":"branch","snapshot-id":1,"max-ref-age-ms":0}`, "invalid", "greater than 0"},
	{"statistics without path", `{"action":"set-statistics","statistics":{"snapshot-id":2}}`, "invalid", "missing statistics-path"},
	{"case 18: encryption key on v2", `{"action":"add-encryption-key","encryption-key":{"key-id":"k","encrypted-key-metadata":"aa"}}`, "invalid", "format version 3"},
	{"case 92: unknown action", `{"action":"frobnicate"}`, "invalid", "frobnicate"},
	{"action of views", `{"action":"add-view-version","view-version":{}}`, "invalid", "unknown table update"},
	{"enable-row-lineage", `{"action":"enable-row-lineage"}`, "invalid", "unknown table update"},
	{"no action", `{}`, "invalid", "missing action"},
	{"null update", `null`, "invalid", "not an object"},
}

func TestUpdatesRefused(t *testing.T) {
	base := grown(t)
	for _, test := range refusals {
		t.Run(test.name, func(t *testing.T) {
			_, err := try(base, test.updates)
			refuse(t, err, test.kind, test.text)
		})
	}
}

// TestSchemaMustSuitSpecAndOrder: a current schema must suit the default spec
// and order, and no column may take a partition's name.
func TestSchemaMustSuitSpecAndOrder(t *testing.T) {
	partitioned := must(t, newTable(t), list(
		`{"action":"add-spec","spec":{"fields":[{"source-id":2,"name":"d","transform":"day"}]}}`, `{"action":"set-default-spec","spec-id":-1}`))
	sorted := func(transform string) *metadata.Document {
		return must(t, newTable(t), list(
			`{"action":"add-sort-order","sort-order":{"order-id":1,"fields":[{"source-id":2,"transform":"`+transform+`","direction":"asc","null-order":"nulls-first"}]}}`,
			`{"action":"set-default-sort-order","sort-order-id":-1}`))
	}
	without := `{"action":"add-schema","schema":{"type":"struct","fields":[{"id":1,"name":"id","type":"long","required":true}]}},{"action":"set-current-schema","schema-id":-1}`
	taken := `{"action":"add-schema","schema":{"type":"struct","fields":[{"id":2,"name":"day","type":"date","required":false},{"id":5,"name":"d","type":"long","required":false}]}},{"action":"set-current-schema","schema-id":-1}`
	_, err := try(partitioned, without)
	refuse(t, err, "invalid", "Cannot find source column for partition field")
	for _, transform := range []string{"identity", "void"} {
		_, err = try(sorted(transform), without)
		refuse(t, err, "invalid", "Cannot find source column for sort field")
	}
	_, err = try(partitioned, taken)
	refuse(t, err, "invalid", "exists in schema: d")
	must(t, partitioned, list(without, `{"action":"set-default-spec","spec-id":0}`))
}

// TestCase23_ManySnapshotsInOneCommit also looks snapshots up after a removal.
func TestCase23_ManySnapshotsInOneCommit(t *testing.T) {
	var updates, ids []string
	for i := int64(1); i <= 2000; i++ {
		updates = append(updates, addSnapshot(i, i, ""))
		ids = append(ids, itoa(int(i)))
	}
	d := must(t, newTable(t), list(append(updates, setMain(2000))...))
	_, err := try(d, list(addSnapshot(3000, 3000, ""), setMain(1), addSnapshot(7, 3001, "")))
	refuse(t, err, "conflict", "7 is present")
	d = must(t, d, list(`{"action":"remove-snapshots","snapshot-ids":[`+list(ids[:1999]...)+`]}`))
	expect(t, d, map[string]string{"snapshots/0/snapshot-id": "2000", "snapshots/1": "absent", "snapshot-log/0/snapshot-id": "2000"})
	back := make([]string, 0, 20)
	for i := range int64(20) {
		back = append(back, addSnapshot(i+1, 5000+i, ""), setBranch("b", i+1))
	}
	must(t, d, list(append(back, `{"action":"remove-snapshots","snapshot-ids":[5]}`, addSnapshot(5, 6000, ""), setBranch("b", 5))...))
}

// TestCase23_SnapshotsExpiredOneByOne is how Java clients expire many: one update
// for each snapshot and one for its statistics, far more than a commit may have
// of others.
func TestCase23_SnapshotsExpiredOneByOne(t *testing.T) {
	const n = 2 * metadata.MaxChanges
	var add, remove []string
	for i := 1; i <= 4; i++ {
		add = append(add, addSnapshot(int64(i), int64(i), ""), statistics(i))
	}
	d := must(t, newTable(t), list(append(add, setMain(4))...))
	for i := 1; i <= n; i++ { // most are of no snapshot
		if i != 2 && i != 4 {
			remove = append(remove, `{"action":"remove-snapshots","snapshot-ids":[`+itoa(i)+`]}`)
		}
		if i%4 == 0 {
			remove = append(remove, `{"action":"remove-statistics","snapshot-id":`+itoa(i)+`}`)
		}
	}
	_, updates, err := metadata.DecodeCommit([]byte(`{"updates":[` + list(remove...) + `]}`))
	if err != nil || len(updates) != 2 {
		t.Fatalf("%d updates, %v", len(updates), err)
	}
	d = must(t, d, list(append(remove, setBranch("kept", 2))...))
	expect(t, d, map[string]string{
		"snapshots/0/snapshot-id": "2", "snapshots/1/snapshot-id": "4", "snapshots/2": "absent",
		"statistics/0/snapshot-id": "2", "statistics/1": "absent", "refs/kept/snapshot-id": "2",
	})
	_, updates, err = metadata.DecodeCommit([]byte(`{"updates":[` + list(remove[0], setBranch("b", 2), remove[1]) + `]}`))
	if err != nil || len(updates) != 3 {
		t.Errorf("%d updates where another is between, %v", len(updates), err)
	}
}
