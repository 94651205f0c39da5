package metadata_test

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"puddle/rest/metadata"
)

// eachVersion runs a test for every format version.
func eachVersion(t *testing.T, test func(t *testing.T, version int)) {
	t.Helper()
	for version := 1; version <= 3; version++ {
		t.Run(fmt.Sprintf("v%d", version), func(t *testing.T) { test(t, version) })
	}
}

// created is the table of newTable in a format version.
func created(t testing.TB, version int) *metadata.Document {
	t.Helper()
	d, err := create(metadata.NewTable{
		UUID: tableID, Location: "s3://b/t", Schema: jsontext.Value(columns),
		Properties: map[string]string{"owner": "me", "format-version": itoa(version)},
	}, born, fresh)
	if err != nil {
		t.Fatal(err)
	}
	reparse(t, d)
	return d
}

// appended is an update that adds the nth snapshot of a table of a format
// version, with ten rows.
func appended(version int, id, nth int64, more string) string {
	switch version {
	case 1:
		return fmt.Sprintf(`{"action":"add-snapshot","snapshot":{"snapshot-id":%d,"timestamp-ms":%d,%s%s}}`, id, born.UnixMilli()+nth, manifests, more)
	case 2:
		return addSnapshot(id, nth, more)
	}
	return addSnapshot(id, nth, fmt.Sprintf(`,"first-row-id":%d,"added-rows":10%s`, (nth-1)*10, more))
}

// grownIn is the table of grown in a format version.
func grownIn(t testing.TB, version int) *metadata.Document {
	t.Helper()
	first := must(t, created(t, version), list(appended(version, 1, 1, ""), setMain(1)))
	return must(t, first, list(appended(version, 2, 2, `,"parent-snapshot-id":1`), appended(version, 3, 3, `,"parent-snapshot-id":1`),
		setMain(2), setBranch("dev", 3)))
}

// upgraded is an update.
func upgraded(version int) string {
	return fmt.Sprintf(`{"action":"upgrade-format-version","format-version":%d}`, version)
}

// TestCase20_CreateInEveryVersion: the members that each version has, as the Java
// library writes them.
func TestCase20_CreateInEveryVersion(t *testing.T) {
	want := map[int]map[string]string{
		1: {"last-sequence-number": "absent", "next-row-id": "absent", "current-snapshot-id": "-1", "partition-spec": "[]"},
		2: {"last-sequence-number": "0", "next-row-id": "absent", "current-snapshot-id": "-1", "schema": "absent", "partition-spec": "absent"},
		3: {"last-sequence-number": "0", "next-row-id": "0", "current-snapshot-id": "null", "schema": "absent", "partition-spec": "absent"},
	}
	eachVersion(t, func(t *testing.T, version int) {
		d := created(t, version)
		expect(t, d, want[version])
		expect(t, d, map[string]string{"format-version": itoa(version), "encryption-keys": "absent", "properties/format-version": "absent"})
		if d.FormatVersion() != version {
			t.Errorf("format version %d", d.FormatVersion())
		}
	})
	expect(t, created(t, 1), map[string]string{"schema": at(t, created(t, 1).Bytes(), "schemas/0")})
}

// TestCreateWritesWholeDocumentInEveryVersion: members and their order are those of the Java
// library.
func TestCreateWritesWholeDocumentInEveryVersion(t *testing.T) {
	schema := `{"type":"struct","fields":[{"id":1,"name":"id","type":"long","required":true}],"schema-id":0}`
	fields := `[{"source-id":1,"name":"b","transform":"bucket[4]","field-id":1000}]`
	tail := `"default-spec-id":0,"partition-specs":[{"fields":` + fields + `,"spec-id":0}],"last-partition-id":1000,` +
		`"default-sort-order-id":0,"sort-orders":[{"order-id":0,"fields":[]}],"properties":{"write.parquet.compression-codec":"zstd"},`
	lists := `"refs":{},"snapshots":[],"statistics":[],"partition-statistics":[],"snapshot-log":[],"metadata-log":[]}`
	head := `"table-uuid":"11111111-2222-4333-8444-555555555555","location":"s3://b/t",`
	schemas := `"current-schema-id":0,"schemas":[` + schema + `],`
	times := `"last-updated-ms":1700000000000,"last-column-id":1,`
	want := map[string]string{
		"1": `{"format-version":1,` + head + times + `"schema":` + schema + `,` + schemas + `"partition-spec":` + fields + `,` + tail + `"current-snapshot-id":-1,` + lists,
		"2": `{"format-version":2,` + head + `"last-sequence-number":0,` + times + schemas + tail + `"current-snapshot-id":-1,` + lists,
		"3": `{"format-version":3,` + head + `"last-sequence-number":0,` + times + schemas + tail + `"current-snapshot-id":null,"next-row-id":0,` + lists,
	}
	for version, text := range want {
		d, err := create(metadata.NewTable{UUID: tableID, Location: "s3://b/t",
			Schema:        jsontext.Value(`{"type":"struct","fields":[{"id":7,"name":"id","type":"long","required":true}]}`),
			PartitionSpec: jsontext.Value(`{"fields":[{"source-id":7,"name":"b","transform":"bucket[4]"}]}`),
			Properties:    map[string]string{"format-version": version}}, born, fresh)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(text, string(d.Bytes())); diff != "" {
			t.Errorf("version %s: %s", version, diff)
		}
	}
}

// TestCase109_StagedCreateInEveryVersion: the first upgrade chooses the version.
func TestCase109_StagedCreateInEveryVersion(t *testing.T) {
	eachVersion(t, func(t *testing.T, version int) {
		updates := list(upgraded(version), staged[len(`{"action":"assign-uuid","uuid":"11111111-2222-4333-8444-555555555555"},
	{"action":"upgrade-format-version","format-version":2},`):], appended(version, 5, 1, ""), setMain(5))
		d, err := tryAt(nil, `{"type":"assert-create"}`, updates, born)
		if err != nil {
			t.Fatal(err)
		}
		reparse(t, d)
		if d.FormatVersion() != version || d.UUID() != other {
			t.Errorf("created in version %d as %s", d.FormatVersion(), d.UUID())
		}
	})
}

// TestUpgrade: what a version brings is written, what it does not have goes, and
// snapshots stay as they are.
func TestUpgrade(t *testing.T) {
	eachVersion(t, func(t *testing.T, from int) {
		base := grownIn(t, from)
		for to := from + 1; to <= 3; to++ {
			d := must(t, base, upgraded(to))
			want := map[string]string{"format-version": itoa(to), "schema": "absent", "partition-spec": "absent", "next-row-id": "absent",
				"last-sequence-number": "3", "snapshots": at(t, base.Bytes(), "snapshots"), "refs": at(t, base.Bytes(), "refs")}
			if from == 1 {
				want["last-sequence-number"] = "0"
			}
			if to == 3 {
				want["next-row-id"] = "0"
			}
			expect(t, d, want)
			must(t, d, list(addSnapshot(9, 4, `,"parent-snapshot-id":2,"first-row-id":0,"added-rows":5`), setMain(9)))
		}
		for to := 1; to < from; to++ {
			_, err := try(base, upgraded(to))
			refuse(t, err, "invalid", fmt.Sprintf("Cannot downgrade v%d table to v%d", from, to))
		}
		if d := must(t, base, upgraded(from)); d != base {
			t.Error("an upgrade to the version that is there has an effect")
		}
	})
}

// TestUpgradeOfAnEmptyTable: no snapshot is spelled null from version 3.
func TestUpgradeOfAnEmptyTable(t *testing.T) {
	expect(t, must(t, created(t, 2), upgraded(3)), map[string]string{"current-snapshot-id": "null"})
	expect(t, must(t, created(t, 1), list(upgraded(2), upgraded(3))), map[string]string{"current-snapshot-id": "null", "last-sequence-number": "0"})
	main := must(t, created(t, 3), list(appended(3, 1, 1, ""), setMain(1)))
	expect(t, must(t, main, `{"action":"remove-snapshot-ref","ref-name":"main"}`), map[string]string{"current-snapshot-id": "null"})
}

// TestUpgradeMembersOfLaterVersions: what a file has before its version does is
// passed over, and written right once the version has it.
func TestUpgradeMembersOfLaterVersions(t *testing.T) {
	base := parse(t, replaced(t, created(t, 1), `"last-column-id"`, `"last-sequence-number":7,"next-row-id":"x","last-column-id"`))
	expect(t, must(t, base, setLocationTo("s3://b/u")), map[string]string{"last-sequence-number": "7", "next-row-id": `"x"`})
	expect(t, must(t, base, upgraded(3)), map[string]string{"last-sequence-number": "0", "next-row-id": "0"})
}

// TestReplaceTransaction sends what engines do for CREATE OR REPLACE TABLE … AS
// SELECT: the table keeps its uuid and history.
func TestReplaceTransaction(t *testing.T) {
	eachVersion(t, func(t *testing.T, version int) {
		spec := `{"action":"add-spec","spec":{"spec-id":0,"fields":[{"source-id":2,"field-id":1000,"name":"d","transform":"day"}]}},{"action":"set-default-spec","spec-id":-1}`
		base := must(t, grownIn(t, version), spec)
		requirements := `{"type":"assert-table-uuid","uuid":"11111111-2222-4333-8444-555555555555"},` +
			`{"type":"assert-last-assigned-field-id","last-assigned-field-id":4},{"type":"assert-last-assigned-partition-id","last-assigned-partition-id":1000}`
		replace := list(`{"action":"set-default-sort-order","sort-order-id":0}`, `{"action":"remove-snapshot-ref","ref-name":"main"}`,
			`{"action":"add-schema","schema":{"type":"struct","fields":[{"id":1,"name":"id","type":"long","required":true},{"id":5,"name":"at","type":"timestamptz","required":false}]},"last-column-id":5}`,
			`{"action":"set-current-schema","schema-id":-1}`,
			`{"action":"add-spec","spec":{"spec-id":2,"fields":[{"source-id":2,"field-id":1000,"name":"d","transform":"void"},{"source-id":5,"field-id":1001,"name":"h","transform":"hour"}]}}`,
			`{"action":"set-default-spec","spec-id":-1}`, `{"action":"set-properties","updates":{"owner":"you"}}`, appended(version, 9, 4, ""), setMain(9))
		d, err := tryAt(base, requirements, replace, later)
		if err != nil {
			t.Fatal(err)
		}
		reparse(t, d)
		expect(t, d, map[string]string{"current-schema-id": "1", "default-spec-id": "2", "last-column-id": "5", "last-partition-id": "1001",
			"snapshots/0/snapshot-id": "1", "snapshots/3/snapshot-id": "9", "refs/dev/snapshot-id": "3", "current-snapshot-id": "9",
			"snapshot-log/1/snapshot-id": "2", "snapshot-log/2/snapshot-id": "9", "table-uuid": `"` + tableID.String() + `"`})
		if version == 1 {
			expect(t, d, map[string]string{"schema": at(t, d.Bytes(), "schemas/1"), "partition-spec": at(t, d.Bytes(), "partition-specs/2/fields")})
		}
		must(t, d, list(`{"action":"set-default-spec","spec-id":0}`, setMain(2)))
	})
}
