package metadata_test

import (
	"fmt"
	"strings"
	"testing"

	"puddle/rest/metadata"
)

func TestRequirements(t *testing.T) {
	base := grown(t)
	tests := []struct{ requirement, want string }{
		{`{"type":"assert-create"}`, "Requirement failed: table already exists"},
		{`{"type":"assert-table-uuid","uuid":"11111111-2222-4333-8444-555555555555"}`, ""},
		{`{"type":"Assert-Table-UUID","uuid":"AAAAAAAA-2222-4333-8444-555555555555"}`, "Requirement failed: UUID does not match"},
		{`{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":2}`, ""},
		{`{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":1}`, "Requirement failed: branch main has changed: expected id 1 != 2"},
		{`{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":null}`, "Requirement failed: branch main was created concurrently"},
		{`{"type":"assert-ref-snapshot-id","ref":"main"}`, "Requirement failed: branch main was created concurrently"},
		{`{"type":"assert-ref-snapshot-id","ref":"new","snapshot-id":null}`, ""},
		{`{"type":"assert-ref-snapshot-id","ref":"new","snapshot-id":-1}`, "Requirement failed: branch or tag new is missing, expected -1"},
		{`{"type":"assert-last-assigned-field-id","last-assigned-field-id":4}`, ""},
		{`{"type":"assert-last-assigned-field-id","last-assigned-field-id":5}`, "Requirement failed: last assigned field id changed: expected id 5 != 4"},
		{`{"type":"assert-current-schema-id","current-schema-id":0}`, ""},
		{`{"type":"assert-current-schema-id","current-schema-id":1}`, "Requirement failed: current schema changed: expected id 1 != 0"},
		{`{"type":"assert-last-assigned-partition-id","last-assigned-partition-id":999}`, ""},
		{`{"type":"assert-last-assigned-partition-id","last-assigned-partition-id":1000}`, "Requirement failed: last assigned partition id changed: expected id 1000 != 999"},
		{`{"type":"assert-default-spec-id","default-spec-id":0}`, ""},
		{`{"type":"assert-default-spec-id","default-spec-id":2}`, "Requirement failed: default partition spec changed: expected id 2 != 0"},
		{`{"type":"assert-default-sort-order-id","default-sort-order-id":0,"x":1}`, ""},
		{`{"type":"assert-default-sort-order-id","default-sort-order-id":1}`, "Requirement failed: default sort order changed: expected id 1 != 0"},
	}
	for _, test := range tests {
		_, err := tryAt(base, test.requirement, `{"action":"set-location","location":"s3://b/u"}`, later)
		if test.want == "" {
			if err != nil {
				t.Errorf("%s: %v", test.requirement, err)
			}
			continue
		}
		refuse(t, err, "requirement", test.want)
	}
}

// TestCase123_RetryOfALandedCommit is refused with the reason.
func TestCase123_RetryOfALandedCommit(t *testing.T) {
	base := newTable(t)
	requirement := `{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":null}`
	landed, err := tryAt(base, requirement, list(addSnapshot(7, 1, ""), setMain(7)), later)
	if err != nil {
		t.Fatal(err)
	}
	_, err = tryAt(landed, requirement, list(addSnapshot(7, 1, ""), setMain(7)), later)
	refuse(t, err, "requirement", "Requirement failed: branch main was created concurrently (snapshot 7 is present in the table)")
	_, err = tryAt(landed, requirement, list(addSnapshot(8, 1, ""), setMain(8)), later)
	refuse(t, err, "requirement", "created concurrently")
}

// TestCase32_UUIDsCompareWithoutCase: an upper-case UUID in the file is kept.
func TestCase32_UUIDsCompareWithoutCase(t *testing.T) {
	base := parse(t, replaced(t, newTable(t), tableID.String(), "11111111-2222-4333-8444-55555555ABCD"))
	d, err := tryAt(base, `{"type":"assert-table-uuid","uuid":"11111111-2222-4333-8444-55555555abcd"}`,
		list(`{"action":"assign-uuid","uuid":"11111111-2222-4333-8444-55555555abcd"}`, setLocationTo("s3://b/u")), later)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, d, map[string]string{"table-uuid": `"11111111-2222-4333-8444-55555555ABCD"`})
}

func TestRequirementsRefused(t *testing.T) {
	for requirement, text := range map[string]string{
		`{"type":"assert-moon"}`: "assert-moon", // case 92
		`{"type":"assert-view-uuid","uuid":"11111111-2222-4333-8444-555555555555"}`: "views",
		`{"type":"assert-current-schema-id"}`:                                       "missing current-schema-id",
		`{"type":"assert-current-schema-id","current-schema-id":1.0}`:               "1.0",
		`{"type":"assert-table-uuid","uuid":"x"}`:                                   "UUID",
		`{"uuid":"x"}`: "missing type",
		`{"type":"assert-create"},{"type":"assert-table-uuid","uuid":"11111111-2222-4333-8444-555555555555"}`: "mixed",
	} {
		_, err := tryAt(newTable(t), requirement, "", later)
		refuse(t, err, "invalid", text)
	}
}

func TestAssertsCreate(t *testing.T) {
	for requirements, want := range map[string]bool{``: false, `{"type":"assert-create"}`: true, `{"type":"assert-default-spec-id","default-spec-id":0}`: false} {
		reqs, _, err := metadata.DecodeCommit([]byte(`{"requirements":[` + requirements + `],"updates":[]}`))
		if err != nil {
			t.Fatal(err)
		}
		got, err := metadata.AssertsCreate(reqs)
		if err != nil || got != want {
			t.Errorf("%s: %t, %v", requirements, got, err)
		}
		for _, req := range reqs {
			if req.Type() == "" {
				t.Errorf("%s has no type", requirements)
			}
		}
	}
}

// A commit has a limit of changes, and one at the limit is taken.
func TestMaxChanges(t *testing.T) {
	for _, many := range []string{
		`{"updates":[%s]}`, `{"updates":[],"requirements":[%s]}`,
	} {
		change := `{"action":"set-location","location":"a"}`
		if strings.Contains(many, "requirements") {
			change = `{"type":"assert-create"}`
		}
		most := strings.Repeat(change+",", metadata.MaxChanges-1) + change
		reqs, updates, err := metadata.DecodeCommit(fmt.Appendf(nil, many, most))
		if err != nil || len(reqs)+len(updates) != metadata.MaxChanges {
			t.Errorf("%d requirements, %d updates: %v", len(reqs), len(updates), err)
		}
		_, _, err = metadata.DecodeCommit(fmt.Appendf(nil, many, most+","+change))
		refuse(t, err, "invalid", "Cannot commit more than 10000")
	}
}

// TestDecodeCommit: what may be left out and what is not read twice.
func TestDecodeCommit(t *testing.T) {
	tests := []struct{ body, text string }{
		{`{"updates":[]}`, ""},
		{`{"requirements":null,"updates":[],"identifier":{"namespace":["elsewhere"],"name":"x"},"more":1}`, ""},
		{` {"updates":[]} `, ""},
		{`{}`, "missing updates"},
		{`{"updates":null}`, "must be an array"},
		{`{"Updates":[],"updates":[]}`, `must be written "updates"`},
		{`{"updates":[],"updates":[]}`, "duplicate"},
		{`{"updates":[{"action":"set-location","location":"a","location":"b"}]}`, "duplicate"},
		{`{"updates":[{"action":"set-location","location":"a","Location":"b"}]}`, `must be written "location"`},
		{`{"updates":[{"action":"add-snapshot","snapshot":{"Snapshot-ID":1,"snapshot-id":1,"timestamp-ms":1,"manifest-list":"m"}}]}`, `must be written "snapshot-id"`},
		{`{"updates":[]}{}`, "after the end"},
		{"\xef\xbb\xbf" + `{"updates":[]}`, "invalid"},
		{`{"updates":[{"action":"set-location","location":"` + "\xff" + `"}]}`, "UTF-8"},
		{`[]`, "not an object"},
		{``, "invalid commit"},
	}
	for _, test := range tests {
		reqs, updates, err := metadata.DecodeCommit([]byte(test.body))
		if test.text == "" {
			if err != nil || len(reqs)+len(updates) != 0 {
				t.Errorf("%s: %v", test.body, err)
			}
			continue
		}
		refuse(t, err, "invalid", test.text)
		if reqs != nil || updates != nil {
			t.Errorf("%s: returned something with an error", test.body)
		}
	}
}
