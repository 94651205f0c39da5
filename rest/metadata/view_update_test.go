package metadata_test

import (
	"errors"
	"strings"
	"testing"

	"puddle/rest/metadata"
)

const (
	otherColumns = `{"type":"struct","schema-id":0,"fields":[{"id":0,"name":"v","type":"int","required":false},{"id":1,"name":"w","type":"variant","required":false}]}`
	addOther     = `{"action":"add-schema","schema":` + otherColumns + `,"last-column-id":1}`
)

// viewEffects are updates of the view of newView and what they make.
var viewEffects = []struct {
	name, updates string
	want          map[string]string
}{
	{"set-location", `{"action":"set-location","location":"s3://b/w"}`, map[string]string{"location": `"s3://b/w"`}},
	{"set-properties", `{"action":"Set-Properties","updates":{"owner":"you","new":"1"}}`,
		map[string]string{"properties": `{"comment":"it","owner":"you","new":"1"}`}},
	{"set-properties in old words", `{"action":"set-properties","updated":{"new":"1"}}`, map[string]string{"properties/new": `"1"`}},
	{"names reserved on tables are free", `{"action":"set-properties","updates":{"uuid":"1","format-version":"9"}}`,
		map[string]string{"properties/uuid": `"1"`, "properties/format-version": `"9"`, "format-version": "1"}},
	{"remove-properties", `{"action":"remove-properties","removals":["owner","absent"]}`, map[string]string{"properties": `{"comment":"it"}`}},
	{"remove all properties", `{"action":"remove-properties","removals":["owner","comment"]}`, map[string]string{"properties": "absent"}},
	{"remove and set again", `{"action":"remove-properties","removals":["owner","comment"]},{"action":"set-properties","updates":{"a":"1"}}`,
		map[string]string{"properties": `{"a":"1"}`}},
	{"add-schema", addOther, map[string]string{"schemas/0/schema-id": "0", "schemas/1/schema-id": "1", "schemas/1/fields/1/type": `"variant"`, "current-version-id": "1"}},
	{"add-view-version", `{"action":"add-view-version","view-version":` + viewVersion(1, 0, "SELECT 2", "spark") + `}`,
		map[string]string{"current-version-id": "1", "versions/1/version-id": "2", "version-log/1": "absent"}},
	{"set-current-view-version", replacement(2), map[string]string{"current-version-id": "2", "version-log/1": `{"timestamp-ms":1700000000002,"version-id":2}`}},
	{"version of the schema added", list(addOther, addVersion(viewVersion(2, -1, "SELECT 2", "spark"))),
		map[string]string{"versions/1/schema-id": "1", "current-version-id": "2"}},
	{"version of an equal schema", list(`{"action":"add-schema","schema":`+viewColumns+`}`, addVersion(viewVersion(2, -1, "SELECT 2", "spark"))),
		map[string]string{"schemas/1": "absent", "versions/1/schema-id": "0"}},
	{"the same query of another schema", list(addOther, addVersion(viewVersion(1, -1, "SELECT 1", "spark"))),
		map[string]string{"current-version-id": "2", "versions/1/schema-id": "1"}},
	{"ids of clients mean nothing", addVersion(viewVersion(2147483647, 0, "SELECT 2", "spark")), map[string]string{"current-version-id": "2"}},
	{"another dialect", addVersion(viewVersion(2, 0, "SELECT 1", "trino", "SPARK")), map[string]string{"versions/1/representations/1/dialect": `"SPARK"`}},
	{"custom representation", addVersion(viewVersionOf(2, 0, `{"type":"sql","sql":"S","dialect":"spark"},{"type":"x","sql":5,"plan":[1.0]}`)),
		map[string]string{"versions/1/representations/1": `{"type":"x","sql":5,"plan":[1.0]}`}},
	{"storage-table makes another version", addVersion(strings.Replace(viewVersion(1, 0, "SELECT 1", "spark"), "{", `{"storage-table":{"namespace":["n"],"name":"s"},`, 1)),
		map[string]string{"versions/1/storage-table/name": `"s"`, "current-version-id": "2"}},
	{"replacement by Trino", list(`{"action":"set-properties","updates":{"comment":"two"}}`, addOther, addVersion(viewVersion(2, -1, "SELECT 2", "spark")), `{"action":"set-location","location":"s3://b/w"}`),
		map[string]string{"properties/comment": `"two"`, "current-version-id": "2", "versions/1/schema-id": "1", "location": `"s3://b/w"`}},
}

func TestViewUpdates(t *testing.T) {
	for _, test := range viewEffects {
		t.Run(test.name, func(t *testing.T) {
			base := newView(t)
			before := string(base.Bytes())
			v := mustView(t, base, test.updates)
			expectView(t, v, test.want)
			if v == base {
				t.Error("nothing changed")
			}
			if string(base.Bytes()) != before {
				t.Error("the base changed")
			}
			if !strings.HasSuffix(v.MetadataLocation(), "/metadata/00001-"+other.String()+".metadata.json") {
				t.Errorf("written to %s", v.MetadataLocation())
			}
		})
	}
}

// TestCase128_NoEffectOnViews: what changes nothing returns the base itself.
func TestCase128_NoEffectOnViews(t *testing.T) {
	base := mustView(t, newView(t), replacement(2))
	tests := []string{
		``,
		`{"action":"assign-uuid","uuid":"11111111-2222-4333-8444-555555555555"}`,
		`{"action":"upgrade-format-version","format-version":1}`,
		`{"action":"set-location","location":"s3://b/v"}`,
		`{"action":"set-properties","updates":{"owner":"me"}}`,
		`{"action":"remove-properties","removals":["absent"]}`,
		`{"action":"add-schema","schema":` + viewColumns + `}`,
		setVersion(2), list(setVersion(1), setVersion(2)),
		replacement(2),
		addVersion(strings.Replace(viewVersion(77, 0, "SELECT 2", "spark"), "{", `{"default-catalog":null,`, 1)),
		list(`{"action":"add-schema","schema":`+viewColumns+`}`, addVersion(viewVersion(5, -1, "SELECT 2", "spark"))),
	}
	for _, updates := range tests {
		if v, err := tryView(base, updates); err != nil || v != base {
			t.Errorf("%s: %v, new metadata %t", updates, err, v != base)
		}
	}
}

// viewRefusals are updates that the view of newView does not take.
var viewRefusals = []struct{ name, updates, text string }{
	{"another uuid", `{"action":"assign-uuid","uuid":"99999999-2222-4333-8444-555555555555"}`, "Cannot reassign uuid"},
	{"downgrade", `{"action":"upgrade-format-version","format-version":0}`, "Cannot downgrade v1 view to v0"},
	{"upgrade", `{"action":"upgrade-format-version","format-version":2}`, "supported: v1"},
	{"empty location", `{"action":"set-location","location":""}`, "empty"},
	{"null property", `{"action":"set-properties","updates":{"a":null}}`, "property a"},
	{"no properties", `{"action":"set-properties"}`, "missing updates"},
	{"empty path", `{"action":"set-properties","updates":{"write.metadata.path":"/"}}`, "must not be empty"},
	{"case 127: history", `{"action":"set-properties","updates":{"version.history.num-entries":"many"}}`, "positive"},
	{"codec", `{"action":"set-properties","updates":{"write.metadata.compression-codec":"zip"}}`, "none or gzip"},
	{"no history", `{"action":"set-properties","updates":{"version.history.num-entries":"0"}}`, "positive"},
	{"not a struct", `{"action":"add-schema","schema":null}`, "not an object"},
	{"reserved field id", `{"action":"add-schema","schema":{"type":"struct","fields":[{"id":2147483540,"name":"c","type":"int","required":false}]}}`, "reserved"},
	{"unknown schema", addVersion(viewVersion(2, 3, "S", "spark")), "Cannot add version with unknown schema: 3"},
	{"no schema added", addVersion(viewVersion(2, -1, "S", "spark")), "Cannot set last added schema"},
	{"no representation", addVersion(viewVersion(2, 0, "S")), "no representations"},
	{"no version", `{"action":"add-view-version","view-version":null}`, "not an object"},
	{"no version at all", `{"action":"add-view-version"}`, "missing view-version"},
	{"no summary", addVersion(strings.Replace(viewVersion(2, 0, "S", "spark"), "summary", "summery", 1)), "missing summary"},
	{"summary with a number", addVersion(strings.Replace(viewVersion(2, 0, "S", "spark"), `"e"`, "1", 1)), "must be a string"},
	{"other spelling", addVersion(strings.Replace(viewVersion(2, 0, "S", "spark"), "summary", "Summary", 1)), `must be written "summary"`},
	{"namespace of numbers", addVersion(strings.Replace(viewVersion(2, 0, "S", "spark"), `"n"`, "1", 1)), "must be a string"},
	{"namespace with a null character", addVersion(strings.Replace(viewVersion(2, 0, "S", "spark"), `"n"`, `"n\u0000"`, 1)), "null character"},
	{"catalog of numbers", addVersion(strings.Replace(viewVersion(2, 0, "S", "spark"), "{", `{"default-catalog":1,`, 1)), "must be a string"},
	{"fraction", addVersion(strings.Replace(viewVersion(2, 0, "S", "spark"), `"version-id":2`, `"version-id":2.0`, 1)), "2.0"},
	{"query without dialect", addVersion(viewVersionOf(2, 0, `{"type":"SQL","sql":"S"}`)), "missing dialect"},
	{"query of null", addVersion(viewVersionOf(2, 0, `{"type":"sql","sql":null,"dialect":"spark"}`)), "must be a string"},
	{"representation without type", addVersion(viewVersionOf(2, 0, `{"sql":"S"}`)), "missing type"},
	{"null representation", addVersion(viewVersionOf(2, 0, `null`)), "not an object"},
	{"unknown current version", setVersion(4), "Cannot set current version to unknown version: 4"},
	{"no version added", setVersion(-1), "Cannot set last version id"},
	{"dialect lost", addVersion(viewVersion(2, 0, "S", "trino", "presto")), "loss of view dialects (replace.drop-dialect.allowed=false):\nPrevious dialects: [spark]\nNew dialects: [trino, presto]"},
	{"case 92: unknown action", `{"action":"frobnicate"}`, `unknown view update: "frobnicate"`},
	{"update of tables", addSnapshot(1, 1, ""), `unknown view update: "add-snapshot"`},
	{"no action", `{}`, "missing action"},
	{"null update", `null`, "not an object"},
}

func TestViewUpdatesRefused(t *testing.T) {
	base := newView(t)
	for _, test := range viewRefusals {
		t.Run(test.name, func(t *testing.T) {
			_, err := tryView(base, test.updates)
			refuse(t, err, "invalid", test.text)
		})
	}
}

// TestDuplicateDialectIsToldApart on create and on commit, whatever the case.
func TestDuplicateDialectIsToldApart(t *testing.T) {
	version := viewVersion(2, 0, "S", "spark", "trino", "TRINO")
	_, created := createView(version)
	_, committed := tryView(newView(t), addVersion(version))
	for _, err := range []error{created, committed} {
		refuse(t, err, "invalid", "Invalid view version: Cannot add multiple queries for dialect trino")
		var duplicate *metadata.DuplicateDialect
		if !errors.As(err, &duplicate) || duplicate.Dialect != "trino" {
			t.Errorf("%T is not a *DuplicateDialect of trino", err)
		}
	}
}

// TestDialectsMayBeDropped when the properties of the new metadata say so.
func TestDialectsMayBeDropped(t *testing.T) {
	lossy := addVersion(viewVersion(2, 0, "S", "trino"))
	allow := `{"action":"set-properties","updates":{"replace.drop-dialect.allowed":"True"}}`
	v := mustView(t, newView(t), list(allow, lossy))
	expectView(t, v, map[string]string{"current-version-id": "2"})
	deny := `{"action":"set-properties","updates":{"replace.drop-dialect.allowed":"yes"}}`
	_, err := tryView(v, list(deny, setVersion(1)))
	refuse(t, err, "invalid", "Previous dialects: [trino]\nNew dialects: [spark]")
	mustView(t, v, setVersion(1))
}

// TestConcurrentReplacements: two clients replace the same version; both have
// chosen id 2, and each means its own, by -1 or by the id it chose.
func TestConcurrentReplacements(t *testing.T) {
	first := mustView(t, newView(t), replacement(2))
	mine := viewVersion(2, 0, "SELECT mine", "spark")
	for _, current := range []int{-1, 2} {
		v := mustView(t, first, list(`{"action":"add-view-version","view-version":`+mine+`}`, setVersion(current)))
		expectView(t, v, map[string]string{"current-version-id": "3", "versions/2/representations/0/sql": `"SELECT mine"`})
		if ids := versionIDs(t, v, "version-log"); ids != "1 2 3" {
			t.Errorf("the log says %s", ids)
		}
	}
}

func TestViewRequirements(t *testing.T) {
	base := newView(t)
	rename := `{"action":"set-location","location":"s3://b/w"}`
	for _, holds := range []string{
		``, `{"type":"assert-view-uuid","uuid":"11111111-2222-4333-8444-555555555555"}`, `{"type":"Assert-View-UUID","uuid":"11111111-2222-4333-8444-555555555555","x":1}`,
	} {
		if _, err := tryViewAt(base, holds, rename, later); err != nil {
			t.Errorf("%s: %v", holds, err)
		}
	}
	_, err := tryViewAt(base, `{"type":"assert-view-uuid","uuid":"AAAAAAAA-2222-4333-8444-555555555555"}`, rename, later)
	refuse(t, err, "requirement", "Requirement failed: view UUID does not match: expected 11111111-2222-4333-8444-555555555555 != aaaaaaaa-")
	for requirement, text := range map[string]string{
		`{"type":"assert-create"}`: "unknown view requirement", `{"type":"assert-table-uuid","uuid":"11111111-2222-4333-8444-555555555555"}`: "unknown view requirement",
		`{"type":"assert-view-uuid"}`: "missing uuid", `{"type":"assert-view-uuid","uuid":"1"}`: "invalid UUID", `{}`: "missing type", `1`: "not an object",
	} {
		_, err := tryViewAt(base, requirement, rename, later)
		refuse(t, err, "invalid", text)
	}
}

// TestDecodeViewCommit: requirements may be missing, updates may not.
func TestDecodeViewCommit(t *testing.T) {
	reqs, updates, err := metadata.DecodeViewCommit([]byte(`{"requirements":null,"updates":[` + setVersion(1) + `],"x":1}`))
	if err != nil || len(reqs) != 0 || len(updates) != 1 || updates[0].Action() != "set-current-view-version" {
		t.Errorf("read as %v and %v: %v", reqs, updates, err)
	}
	reqs, _, err = metadata.DecodeViewCommit([]byte(`{"requirements":[{"type":"assert-view-uuid","uuid":"11111111-2222-4333-8444-555555555555"}],"updates":[]}`))
	if err != nil || len(reqs) != 1 || reqs[0].Type() != "assert-view-uuid" {
		t.Errorf("read as %v: %v", reqs, err)
	}
	many := `{"updates":[` + strings.Repeat(setVersion(1)+",", metadata.MaxChanges) + setVersion(1) + `]}`
	for body, text := range map[string]string{
		`{}`: "missing updates", `[]`: "not an object", `{"updates":[],"updates":[]}`: "duplicate", `{"updates":{}}`: "must be an array",
		`{"updates":[]} x`: "text after", `{"Updates":[]}`: "must be written", many: "more than 10000 updates",
	} {
		_, _, err := metadata.DecodeViewCommit([]byte(body))
		refuse(t, err, "invalid", text)
	}
	_, err = commitView(nil, nil, nil, later, other)
	refuse(t, err, "invalid", "does not exist")
}

// TestViewActions: decoded updates say what they are.
func TestViewActions(t *testing.T) {
	bodies := map[string]string{
		"assign-uuid":              `{"action":"Assign-UUID","uuid":"11111111-2222-4333-8444-555555555555"}`,
		"upgrade-format-version":   `{"action":"upgrade-format-version","format-version":1}`,
		"add-schema":               addOther,
		"set-location":             `{"action":"set-location","location":"l"}`,
		"set-properties":           `{"action":"set-properties","updates":{}}`,
		"remove-properties":        `{"action":"remove-properties","removals":[]}`,
		"add-view-version":         `{"action":"ADD-VIEW-VERSION","view-version":` + viewVersion(1, 0, "S", "x") + `}`,
		"set-current-view-version": setVersion(1),
	}
	for action, body := range bodies {
		_, updates, err := metadata.DecodeViewCommit([]byte(`{"updates":[` + body + `]}`))
		if err != nil || len(updates) != 1 || updates[0].Action() != action {
			t.Errorf("%s is read as %v: %v", body, updates, err)
		}
	}
}
