package metadata_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCase16_UnknownMembersSurvive: a file with members that no version knows,
// odd spacing and odd spellings changes only where a commit changes it.
func TestCase16_UnknownMembersSurvive(t *testing.T) {
	before, err := os.ReadFile("testdata/odd.metadata.json")
	if err != nil {
		t.Fatal(err)
	}
	base := parse(t, string(before))
	tests := []struct{ name, updates string }{
		{"properties", `{"action":"set-properties","updates":{"a":"2","b":"3"}},{"action":"remove-properties","removals":["gone"]}`},
		{"snapshots", list(addSnapshot(9007199254740993, 3, `,"parent-snapshot-id":20,"x":1`), setMain(9007199254740993), `{"action":"remove-snapshots","snapshot-ids":[10]}`)},
		{"refs", `{"action":"set-snapshot-ref","ref-name":"keep","type":"branch","snapshot-id":20},{"action":"remove-snapshot-ref","ref-name":"drop"}`},
		{"schemas", `{"action":"add-schema","schema":{"fields":[],"type":"struct"}},{"action":"add-spec","spec":{"fields":[{"source-id":1,"name":"p","transform":"bucket[2]"}]}},{"action":"set-default-spec","spec-id":-1}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := string(must(t, base, test.updates).Bytes())
			wantGolden(t, "testdata/odd."+test.name+".json", got)
		})
	}
}

// wantGolden compares what was written with a file that is kept, or keeps it.
func wantGolden(t *testing.T, golden, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Error(diff)
	}
}
