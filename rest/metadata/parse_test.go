package metadata_test

import (
	"fmt"
	"strings"
	"testing"

	"puddle/rest/metadata"
)

const location = "s3://b/t/metadata/00003-x.metadata.json"

func parse(t testing.TB, file string) *metadata.Document {
	t.Helper()
	d, err := metadata.Parse([]byte(file), location)
	if err != nil {
		t.Fatalf("%v\n%s", err, file)
	}
	return d
}

// replaced is the text of a document with one part of it exchanged.
func replaced(t testing.TB, d *metadata.Document, old, with string) string {
	t.Helper()
	text := string(d.Bytes())
	if strings.Count(text, old) != 1 {
		t.Fatalf("%q is there %d times in %s", old, strings.Count(text, old), text)
	}
	return strings.Replace(text, old, with, 1)
}

func setLocationTo(place string) string {
	return fmt.Sprintf(`{"action":"set-location","location":%q}`, place)
}

// unreadable is what makes a file one that is not read.
var unreadable = []struct{ name, old, with, kind, text string }{
	{"case 29: name twice", `"location":`, `"location":"a","location":`, "invalid", "duplicate"},
	{"case 29: name twice, deep", `"operation":"append"},"schema-id":7`, `"operation":"append","operation":"x"},"schema-id":7`, "invalid", "duplicate"},
	{"case 29: other case", `"location":`, `"LOCATION":"a","location":`, "invalid", `must be written "location"`},
	{"case 29: other case in a snapshot", `"schema-id":7`, `"Schema-Id":7`, "invalid", `must be written "schema-id"`},
	{"case 29: text after it", `"metadata-log":[]}`, `"metadata-log":[]}{}`, "invalid", "after the end"},
	{"case 29: invalid UTF-8", `"me"`, "\"\xff\"", "invalid", "UTF-8"},
	{"case 29: byte order mark", `{"format-version"`, "\xef\xbb\xbf" + `{"format-version"`, "invalid", "invalid"},
	{"case 29: nesting", `"me"`, strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), "invalid", "depth"},
	{"case 19: version 0", `"format-version":2`, `"format-version":0`, "invalid", "supported: v1 to v3"},
	{"version 1 with sequence numbers", `"format-version":2`, `"format-version":1`, "invalid", "greater than last sequence number 0"},
	{"version 3 without row ids", `"format-version":2`, `"format-version":3`, "invalid", "missing next-row-id"},
	{"case 19: version 4", `"format-version":2`, `"format-version":4`, "invalid", "supported: v1 to v3"},
	{"case 19: version 99", `"format-version":2`, `"format-version":99`, "invalid", "supported: v1 to v3"},
	{"case 19: version as text", `"format-version":2`, `"format-version":"2"`, "invalid", "format-version"},
	{"case 19: version 2.0", `"format-version":2`, `"format-version":2.0`, "invalid", "2.0"},
	{"case 19: no version", `"format-version":2`, `"format-version":null`, "invalid", "format-version"},
	{"case 9: empty snapshot", `"snapshots":[`, `"snapshots":[{},`, "invalid", "missing snapshot-id"},
	{"case 9: null snapshot", `"snapshots":[`, `"snapshots":[null,`, "invalid", "not an object"},
	{"case 8: null parent", `"schema-id":7`, `"parent-snapshot-id":null`, "invalid", "parent-snapshot-id"},
	{"case 13: number in a summary", `"operation":"append"},"schema-id":7`, `"operation":"append","n":1},"schema-id":7`, "invalid", "must be a string"},
	{"case 13: null summary", `"summary":{"operation":"append"},"schema-id":7`, `"summary":null`, "invalid", "summary"},
	{"case 14: not whole", `"last-column-id":4`, `"last-column-id":4e0`, "invalid", "4e0"},
	{"case 14: too large", `"last-column-id":4`, `"last-column-id":4294967296`, "invalid", "32-bit"},
	{"case 11: field id twice", `{"id":2,`, `{"id":1,`, "invalid", "multiple fields for id 1"},
	{"case 21: main is not the current snapshot", `"refs":{"main":{"snapshot-id":2`, `"refs":{"main":{"snapshot-id":1`, "invalid", "does not match main"},
	{"case 21: branch of nothing", `"dev":{"snapshot-id":3`, `"dev":{"snapshot-id":9`, "invalid", "does not exist"},
	{"case 21: main without current snapshot", `"current-snapshot-id":2`, `"current-snapshot-id":-1`, "invalid", "does not match main"},
	{"case 21: main as a tag", `"main":{"snapshot-id":2,"type":"branch"`, `"main":{"snapshot-id":2,"type":"tag"`, "invalid", "main must be a branch"},
	{"current snapshot is missing", `"current-snapshot-id":2,"refs"`, `"current-snapshot-id":9,"x"`, "invalid", "Cannot find current version"},
	{"null refs", `"refs":{`, `"refs":null,"x":{`, "invalid", "refs"},
	{"null snapshots", `"snapshots":[`, `"snapshots":null,"x":[`, "invalid", "snapshots"},
	{"null property", `"owner":"me"`, `"owner":null`, "invalid", "owner"},
	{"snapshot twice", `"snapshot-id":3,"sequence-number":3`, `"snapshot-id":1,"sequence-number":3`, "invalid", "more than one snapshot"},
	{"sequence number too high", `"last-sequence-number":3`, `"last-sequence-number":2`, "invalid", "sequence number"},
	{"unknown current schema", `"current-schema-id":0`, `"current-schema-id":1`, "invalid", "current-schema-id=1"},
	{"unknown default spec", `"default-spec-id":0`, `"default-spec-id":1`, "invalid", "default-spec-id=1"},
	{"unknown default order", `"default-sort-order-id":0`, `"default-sort-order-id":1`, "invalid", "default-sort-order-id=1"},
	{"log runs backwards", `"snapshot-log":[`, `"snapshot-log":[{"timestamp-ms":1800000000000,"snapshot-id":1},`, "invalid", "Expected sorted"},
	{"updated before the log", `"last-updated-ms":1700000001000`, `"last-updated-ms":5`, "invalid", "Invalid update timestamp"},
	{"no location", `"location":"s3://b/t"`, `"x":1`, "invalid", "missing location"},
	{"no uuid", `"table-uuid":"11111111-2222-4333-8444-555555555555"`, `"table-uuid":null`, "invalid", "table-uuid"},
	{"zero uuid", `11111111-2222-4333-8444-555555555555`, `00000000-0000-0000-0000-000000000000`, "invalid", "UUID"},
}

func TestParseRefuses(t *testing.T) {
	base := must(t, newTable(t), list(addSnapshot(1, 1, ""), addSnapshot(2, 2, ""), addSnapshot(3, 3, `,"schema-id":7`), setMain(2), setBranch("dev", 3)))
	base = parse(t, strings.Replace(string(base.Bytes()), `"metadata-log":[`+at(t, base.Bytes(), "metadata-log/0")+`]`, `"metadata-log":[]`, 1))
	for _, test := range unreadable {
		t.Run(test.name, func(t *testing.T) {
			_, err := metadata.Parse([]byte(replaced(t, base, test.old, test.with)), location)
			refuse(t, err, test.kind, test.text)
		})
	}
}

// TestCase6_NoCurrentSnapshot is spelled in three ways, and the first append
// works with each.
func TestCase6_NoCurrentSnapshot(t *testing.T) {
	for _, spelled := range []string{``, `"current-snapshot-id":null,`, `"current-snapshot-id":-1,`} {
		base := parse(t, replaced(t, newTable(t), `"current-snapshot-id":-1,`, spelled))
		if id, ok := base.CurrentSnapshotID(); ok {
			t.Errorf("%s: current snapshot %d", spelled, id)
		}
		d, err := tryAt(base, `{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":null}`, list(addSnapshot(7, 1, ""), setMain(7)), later)
		if err != nil {
			t.Fatal(err)
		}
		reparse(t, d)
		if id, ok := d.CurrentSnapshotID(); id != 7 || !ok {
			t.Errorf("%s: current snapshot %d %t", spelled, id, ok)
		}
	}
}

// TestCase11_LowLastColumnID: the file loads, a commit raises it.
func TestCase11_LowLastColumnID(t *testing.T) {
	base := parse(t, replaced(t, newTable(t), `"last-column-id":4`, `"last-column-id":2`))
	if d := must(t, base, ""); d != base {
		t.Error("an empty commit changed the table")
	}
	expect(t, must(t, base, setLocationTo("s3://b/u")), map[string]string{"last-column-id": "4"})
}

// TestCase13_OldSummaries load: none, empty, or without operation.
func TestCase13_OldSummaries(t *testing.T) {
	base := must(t, newTable(t), addSnapshot(1, 1, ""))
	for _, summary := range []string{``, `,"summary":{}`, `,"summary":{"a":"b"}`} {
		parse(t, replaced(t, base, `,"summary":{"operation":"append"}`, summary))
	}
}

// TestCase21_MainIsImplied where refs are missing; it is written with the next
// reference.
func TestCase21_MainIsImplied(t *testing.T) {
	whole := must(t, newTable(t), list(addSnapshot(1, 1, ""), setMain(1)))
	base := parse(t, replaced(t, whole, `"refs":{"main":{"snapshot-id":1,"type":"branch"}},`, ``))
	if _, err := tryAt(base, `{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":1}`, "", later); err != nil {
		t.Fatal(err)
	}
	expect(t, must(t, base, setLocationTo("s3://b/u")), map[string]string{"refs": "absent"})
	expect(t, must(t, base, setBranch("dev", 1)), map[string]string{
		"refs": `{"main":{"snapshot-id":1,"type":"branch"},"dev":{"snapshot-id":1,"type":"branch"}}`})
}

func TestReferencedSnapshots(t *testing.T) {
	d := grown(t)
	text := d.ReferencedSnapshots()
	for path, want := range map[string]string{"snapshots/0/snapshot-id": "2", "snapshots/1/snapshot-id": "3", "snapshots/2": "absent",
		"snapshot-log/0/snapshot-id": "1", "refs": at(t, d.Bytes(), "refs")} {
		if got := at(t, text, path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	expect(t, d, map[string]string{"snapshots/0/snapshot-id": "1"})
	all := newTable(t)
	if string(all.ReferencedSnapshots()) != string(all.Bytes()) {
		t.Error("a document without other snapshots changed")
	}
}
