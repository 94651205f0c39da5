package metadata_test

import (
	"fmt"
	"strings"
	"testing"

	"puddle/rest/metadata"
)

// withColumn is an update that adds a schema with one column of a type, written
// in JSON, and more members.
func withColumn(kind, more string) string {
	return fmt.Sprintf(`{"action":"add-schema","schema":{"type":"struct","fields":[{"id":9,"name":"c","type":%s,"required":false%s}]}}`, kind, more)
}

func TestTypes(t *testing.T) {
	base := newTable(t)
	for _, known := range []string{`"boolean"`, `"int"`, `"long"`, `"float"`, `"double"`, `"date"`, `"time"`, `"timestamp"`, `"timestamptz"`,
		`"string"`, `"uuid"`, `"binary"`, `"decimal(9,2)"`, `"Decimal( 38 , 10 )"`, `"fixed[16]"`, `"LONG"`,
		`{"type":"list","element-id":20,"element":"int","element-required":true}`,
		`{"element-id":20,"element":{"fields":[],"type":"struct"},"element-required":true,"type":"list"}`,
		`{"type":"map","key-id":20,"key":"int","value-id":21,"value":"string","value-required":false}`} {
		if _, err := try(base, withColumn(known, "")); err != nil {
			t.Errorf("%s: %v", known, err)
		}
	}
	for unknown, text := range map[string]string{
		`"text"`: "unknown type", `"decimal(39,0)"`: "38", `"fixed[99999999999]"`: "too long", `"decimal"`: "unknown type", `7`: "must be a string", `null`: "must be a string",
		`{"type":"set"}`: "unknown nested type", `{"fields":[]}`: "missing type", `{"type":"struct"}`: "missing fields",
		`{"type":"list","element-id":20,"element":"int"}`:                         "missing element-required",
		`{"type":"list","element-id":20,"element":"int","element-required":1}`:    "true or false",
		`{"type":"map","key-id":20,"key":"int","value-id":21,"value":"string"}`:   "missing value-required",
		`{"type":"list","element-id":9,"element":"int","element-required":true}`:  "multiple fields for id 9",
		`{"type":"list","Element-Id":20,"element":"int","element-required":true}`: `must be written "element-id"`,
		`"timestamp_ns"`:     "timestamp_ns is not supported until v3",
		`"geometry(srid:1)"`: "geometry(srid:1) is not supported until v3",
		`"geography"`:        "not supported until v3",
		`"unknown"`:          "not supported until v3",
		nested(200):          "deeper than 100",
	} {
		_, err := try(base, withColumn(unknown, ""))
		refuse(t, err, "invalid", text)
	}
}

// nested is a list of lists.
func nested(depth int) string {
	kind := `"int"`
	for i := range depth {
		kind = fmt.Sprintf(`{"type":"list","element-id":%d,"element":%s,"element-required":true}`, 1000+i, kind)
	}
	return kind
}

// TestDefaults: a default value must be one of its column's type.
func TestDefaults(t *testing.T) {
	base := created(t, 3)
	tests := []struct {
		kind      string
		good, bad []string
	}{
		{`"boolean"`, []string{`true`, `false`}, []string{`1`, `"true"`}},
		{`"int"`, []string{`-5`}, []string{`2147483648`, `"1"`}},
		{`"long"`, []string{`9007199254740993`}, []string{`1.0`, `9223372036854775808`}},
		{`"float"`, []string{`1.5`, `1E2`}, []string{`"1"`, `1`}},
		{`"double"`, []string{`-1e300`, `0.0`}, []string{`true`, `5`}},
		{`"decimal(9,2)"`, []string{`"14.20"`, `"-1420e-2"`, `"0.142E1"`}, []string{`14.20`, `"14.2"`, `"14"`, `"1,20"`, `"1.20e1"`}},
		{`"decimal(9,0)"`, []string{`"14"`}, []string{`"14.0"`, `""`}},
		{`"date"`, []string{`"2007-12-03"`}, []string{`"2007-13-03"`, `"2007-12-03T00:00"`, `5`}},
		{`"time"`, []string{`"22:31:08.123456"`, `"22:31"`}, []string{`"22"`, `"25:00:00"`, `"22:31:08,1"`, `"22:31:08Z"`}},
		{`"timestamp"`, []string{`"2007-12-03T10:15:30.000000"`, `"2007-12-03T10:15"`}, []string{`"yesterday"`, `"2007-12-03T10:15:30Z"`, `"2007-12-03"`}},
		{`"timestamptz"`, []string{`"2007-12-03T10:15:30.000000+00:00"`, `"2007-12-03T10:15:30Z"`}, []string{`5`, `"2007-12-03T10:15:30"`, `"2007-12-03T10:15:30+01:00"`}},
		{`"timestamp_ns"`, []string{`"2007-12-03T10:15:30.123456789"`}, []string{`"2507-12-03T10:15:30"`, `"1507-12-03T10:15:30"`, `"2007-12-03T10:15:30Z"`}},
		{`"timestamptz_ns"`, []string{`"2007-12-03T10:15:30.123456789+00:00"`}, []string{`"2007-12-03T10:15:30.1234567890+00:00"`, `"2007-02-30T10:15:30Z"`}},
		{`"string"`, []string{`"a\nb"`}, []string{`5`}},
		{`"uuid"`, []string{`"f79c3e09-677c-4bbd-a479-3f349cb785e7"`}, []string{`"x"`}},
		{`"fixed[2]"`, []string{`"00ff"`}, []string{`"00"`, `"00fg"`}},
		{`"binary"`, []string{`"00ff01"`, `""`}, []string{`"0"`, `0`}},
	}
	for _, test := range tests {
		for _, good := range test.good {
			d, err := try(base, withColumn(test.kind, `,"write-default":`+good))
			if err != nil {
				t.Errorf("%s of type %s: %v", good, test.kind, err)
				continue
			}
			expect(t, d, map[string]string{"schemas/1/fields/0/write-default": good})
			reparse(t, d)
		}
		for _, bad := range test.bad {
			if _, err := try(base, withColumn(test.kind, `,"write-default":`+bad)); kind(err) != "invalid" {
				t.Errorf("%s of type %s: %v", bad, test.kind, err)
			}
		}
	}
	if _, err := try(base, withColumn(`"int"`, `,"initial-default":null,"write-default":null,"doc":null`)); err != nil {
		t.Errorf("no defaults: %v", err)
	}
}

// TestSchemasAreTheSame when all but their ids is: documentation, defaults and
// identifiers count, the spelling does not.
func TestSchemasAreTheSame(t *testing.T) {
	column := func(more string) string {
		return `{"action":"add-schema","schema":{"type":"struct","identifier-field-ids":[],"fields":[{"id":9,"name":"c","type":"decimal(9,2)","required":true` + more + `}]}}`
	}
	base := must(t, newTable(t), column(`,"doc":"d","write-default":"1.00"`))
	for updates, same := range map[string]bool{
		column(`, "write-default": "1.00", "doc": "\u0064"`):  true,
		column(`,"doc":"d","write-default":"1.00","x-new":1`): true,
		column(`,"doc":"e","write-default":"1.00"`):           false,
		column(`,"doc":"d","write-default":"2.00"`):           false,
		`{"action":"add-schema","schema":{"type":"struct","identifier-field-ids":[9],"fields":[{"id":9,"name":"c","type":"decimal(9,2)","required":true,"doc":"d","write-default":"1.00"}]}}`: false,
	} {
		if d := must(t, base, updates); (d == base) != same {
			t.Errorf("%s: same %t, want %t", updates, d == base, same)
		}
	}
}

func TestIdentifiers(t *testing.T) {
	fields := `"fields":[{"id":1,"name":"a","type":"long","required":true},{"id":2,"name":"o","required":false,"type":{"type":"struct","fields":[{"id":3,"name":"b","type":"int","required":true}]}},` +
		`{"id":4,"name":"r","required":true,"type":{"type":"struct","fields":[{"id":5,"name":"b","type":"int","required":true}]}},` +
		`{"id":6,"name":"l","required":true,"type":{"type":"list","element-id":7,"element":"int","element-required":true}}]`
	for ids, text := range map[string]string{"[1]": "", "[1,5]": "", "[]": "", "null": "", "[9]": "does not exist", "[3]": "o is not required",
		"[4]": "not a primitive type", "[7]": "must not be nested in list"} {
		_, err := try(newTable(t), `{"action":"add-schema","schema":{"type":"struct","identifier-field-ids":`+ids+`,`+fields+`}}`)
		want := "invalid"
		if text == "" {
			want = "none"
		}
		refuse(t, err, want, text)
	}
}

// TestTransforms: which transforms take which types.
func TestTransforms(t *testing.T) {
	base := must(t, newTable(t), `{"action":"add-schema","schema":{"type":"struct","fields":[
		{"id":1,"name":"long","type":"long","required":false},{"id":2,"name":"date","type":"date","required":false},
		{"id":3,"name":"ts","type":"timestamptz","required":false},{"id":4,"name":"double","type":"double","required":false},
		{"id":5,"name":"fixed","type":"fixed[4]","required":false},
		{"id":6,"name":"list","type":{"type":"list","element-id":7,"element":"int","element-required":true},"required":false}]}},
		{"action":"set-current-schema","schema-id":-1}`)
	takes := map[string][]int{
		"identity": {1, 2, 3, 4, 5}, "bucket[4]": {1, 2, 3, 5}, "truncate[4]": {1}, "year": {2, 3}, "MONTH": {2, 3}, "day": {2, 3}, "hour": {3},
		"void": {1, 2, 3, 4, 5, 6, 7, 99}, "zorder[7]": {1, 2, 3, 4, 5},
	}
	for transform, sources := range takes {
		for _, source := range []int{1, 2, 3, 4, 5, 6, 7, 99} {
			want := "invalid"
			for _, good := range sources {
				if good == source {
					want = "none"
				}
			}
			_, err := try(base, fmt.Sprintf(`{"action":"add-spec","spec":{"fields":[{"source-id":%d,"name":"p","transform":%q}]}}`, source, transform))
			if got := kind(err); got != want {
				t.Errorf("%s of column %d: %s (%v), want %s", transform, source, got, err, want)
			}
		}
	}
}

// TestActions: each update says its name, as it is in the specification.
func TestActions(t *testing.T) {
	all := `assign-uuid upgrade-format-version add-schema set-current-schema add-spec set-default-spec add-sort-order set-default-sort-order ` +
		`add-snapshot set-snapshot-ref remove-snapshots remove-snapshot-ref set-location set-properties remove-properties set-statistics ` +
		`remove-statistics set-partition-statistics remove-partition-statistics remove-partition-specs remove-schemas add-encryption-key remove-encryption-key`
	updates := list(staged, addSnapshot(1, 1, ""), setMain(1), statistics(1), partitionStatistics(1),
		`{"action":"remove-snapshots","snapshot-ids":[]},{"action":"remove-snapshot-ref","ref-name":"x"},{"action":"remove-properties","removals":[]}`,
		`{"action":"remove-statistics","snapshot-id":1},{"action":"remove-partition-statistics","snapshot-id":1}`,
		`{"action":"remove-partition-specs","spec-ids":[]},{"action":"remove-schemas","schema-ids":[]}`,
		`{"action":"add-encryption-key","encryption-key":{"key-id":"k","encrypted-key-metadata":"aa","encrypted-by-id":null,"properties":{}}},{"action":"remove-encryption-key","key-id":"k"}`)
	_, decoded, err := metadata.DecodeCommit([]byte(`{"updates":[` + updates + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, u := range decoded {
		seen[u.Action()] = true
	}
	for _, action := range strings.Fields(all) {
		if !seen[action] {
			t.Errorf("no update says that it is %s", action)
		}
	}
	if len(seen) != 23 {
		t.Errorf("%d actions", len(seen))
	}
}
