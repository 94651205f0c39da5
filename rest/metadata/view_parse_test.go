package metadata_test

import (
	"os"
	"strings"
	"testing"

	"puddle/rest/metadata"
)

// TestParseWarehouseViews: what Spark and Trino wrote loads and takes a
// replacement, which touches nothing else.
func TestParseWarehouseViews(t *testing.T) {
	seen := 0
	eachViewFile(t, func(path string, file []byte) {
		seen++
		base, err := metadata.ParseView(file, "file://"+path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		allow := `{"action":"set-properties","updates":{"replace.drop-dialect.allowed":"true"}}`
		next := mustView(t, base, list(allow, addVersion(viewVersion(9, 0, "SELECT 9", "duckdb"))))
		for _, member := range []string{"view-uuid", "location", "schemas", "versions/0", "version-log/0"} {
			if got, want := at(t, next.Bytes(), member), at(t, file, member); got != want {
				t.Errorf("%s: %s is %s, want %s", path, member, got, want)
			}
		}
		again := mustView(t, next, addVersion(viewVersion(1, 0, "SELECT 9", "DuckDB")))
		if log := versionIDs(t, again, "version-log"); !strings.HasPrefix(log, versionIDs(t, base, "version-log")+" ") {
			t.Errorf("%s: the log says %s", path, log)
		}
	})
	if seen < 9 {
		t.Errorf("saw %d views", seen)
	}
}

// parseView puts texts in the place of others in a good file.
func parseView(replace ...string) (*metadata.View, error) {
	file := `{"view-uuid":"11111111-2222-4333-8444-555555555555","format-version":1,"location":"s3://b/v","properties":{"a":"1"},` +
		`"schemas":[` + viewColumns + `],"current-version-id":1,"versions":[` + viewVersion(1, 7, "SELECT 1", "spark") + `],` +
		`"version-log":[{"timestamp-ms":1,"version-id":1}]}`
	return metadata.ParseView([]byte(strings.NewReplacer(replace...).Replace(file)), "s3://b/v/metadata/00000-x.metadata.json")
}

func TestParseView(t *testing.T) {
	for name, replace := range map[string][]string{
		"as it is":                             {},
		"upper-case uuid":                      {"11111111-2222", "AAAAAAAA-2222"},
		"no properties":                        {`"properties":{"a":"1"},`, ``},
		"empty log":                            {`{"timestamp-ms":1,"version-id":1}`, ``},
		"log of gone versions, out of order":   {`"version-log":[`, `"version-log":[{"timestamp-ms":9,"version-id":5},`},
		"a dialect twice":                      {`"representations":[`, `"representations":[{"type":"sql","sql":"S","dialect":"SPARK"},`},
		"nothing to run":                       {`{"type":"sql","sql":"SELECT 1","dialect":"spark"}`, ``},
		"an older version of a missing schema": {`"versions":[`, `"versions":[` + viewVersion(0, 3, "S", "x") + `,`},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := parseView(replace...)
			if err != nil {
				t.Fatal(err)
			}
			reparseView(t, v)
		})
	}
}

func TestParseViewRefused(t *testing.T) {
	tests := []struct{ old, new, text string }{
		{`"view-uuid":"11111111-2222-4333-8444-555555555555",`, ``, "missing view-uuid"},
		{`"view-uuid"`, `"table-uuid"`, "missing view-uuid"},
		{`"view-uuid"`, `"View-UUID"`, "must be written"},
		{`11111111-2222`, `11111111:2222`, "invalid UUID"},
		{`"format-version":1`, `"format-version":2`, "v2 (supported: v1)"},
		{`"format-version":1`, `"format-version":1.0`, "whole 64-bit"},
		{`"s3://b/v"`, `""`, "empty location"},
		{`"s3://b/v"`, `null`, "invalid view metadata: location: must be a string"},
		{`{"a":"1"}`, `null`, "not an object"},
		{`{"a":"1"}`, `{"a":1}`, "invalid property a"},
		{`{"a":"1"}`, `{"a":"1","a":"2"}`, "duplicate"},
		{`"schemas":[`, `"schemas":[{"type":"struct","schema-id":7,"fields":[]},`, "more than one schema with id 7"},
		{`"versions":[`, `"versions":[` + viewVersion(1, 7, "S", "x") + `,`, "more than one version with id 1"},
		{`"current-version-id":1`, `"current-version-id":2`, "Cannot find current version 2"},
		{`"schema-id":7,"summary"`, `"schema-id":8,"summary"`, "Cannot find current schema with id 8"},
		{`"version-log":[{"timestamp-ms":1,"version-id":1}]`, `"version-log":{}`, "invalid view metadata: version-log: must be an array"},
		{`,"version-id":1}]`, `}]`, "missing version-id"},
		{`"summary":{"engine-name":"e"},`, ``, "missing summary"},
		{`{"engine-name":"e"}`, `[]`, "must be an object"},
		{`"sql":"SELECT 1",`, ``, "missing sql"},
		{`"SELECT 1"`, `"\ud800"`, "surrogate"},
	}
	for _, test := range tests {
		t.Run(test.new, func(t *testing.T) {
			_, err := parseView(test.old, test.new)
			refuse(t, err, "invalid", test.text)
		})
	}
	// Case 97: the file of a table is no view, and that of a view no table.
	for _, file := range []string{``, `[]`, `{}`, `{} {}`, "\ufeff{}", string(newTable(t).Bytes())} {
		_, err := metadata.ParseView([]byte(file), "s3://b/v/metadata/00000-x.metadata.json")
		refuse(t, err, "invalid", "view metadata")
	}
	_, err := metadata.Parse(newView(t).Bytes(), location)
	if kind(err) == "none" {
		t.Error("a view was read as a table")
	}
}

// TestCase16_UnknownMembersOfViewsSurvive: a file with members that nobody
// knows, odd spacing and odd spellings changes only where a commit changes it.
func TestCase16_UnknownMembersOfViewsSurvive(t *testing.T) {
	before, err := os.ReadFile("testdata/odd.view.metadata.json")
	if err != nil {
		t.Fatal(err)
	}
	base, err := metadata.ParseView(before, "s3://b/v/metadata/00006-x.gz.metadata.json")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, updates string }{
		{"properties", `{"action":"set-properties","updates":{"a":"2","b":"3"}},{"action":"remove-properties","removals":["gone"]}`},
		{"replaced", list(`{"action":"add-schema","schema":{"x":1E1, "fields":[],"type":"struct"}}`,
			addVersion(`{"x": 1.0, "version-id":1,"timestamp-ms":1700000005000,"schema-id":-1,"summary":{},"default-namespace":[],"representations":[{"dialect":"Spark","type":"SQL","sql":"\u0041"}]}`))},
		{"expired", list(setVersion(3), `{"action":"set-properties","updates":{"version.history.num-entries":"2"}}`)},
		{"bare", `{"action":"remove-properties","removals":["gone","a","kept"]},{"action":"set-location","location":"s3://b/ü"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := string(mustView(t, base, test.updates).Bytes())
			wantGolden(t, "testdata/odd.view."+test.name+".json", got)
		})
	}
}
