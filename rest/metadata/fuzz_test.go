package metadata_test

import (
	"os"
	"testing"

	"puddle/rest/metadata"
)

// FuzzParse: whatever is read takes a commit, and what that yields is read again.
func FuzzParse(f *testing.F) {
	odd, err := os.ReadFile("testdata/odd.metadata.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(odd)
	f.Add(newTable(f).Bytes())
	f.Add(grown(f).Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		base, err := metadata.Parse(file, location)
		if err != nil {
			if kind(err) == "other" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		reparse(t, must(t, base, `{"action":"set-properties","updates":{"fuzzed":"1"}}`))
		if id, ok := base.CurrentSnapshotID(); ok {
			must(t, base, list(setBranch("fuzzed", id), `{"action":"remove-snapshot-ref","ref-name":"main"}`))
		}
	})
}

// FuzzDecodeCommit: no body breaks a commit, and what one yields is read again.
func FuzzDecodeCommit(f *testing.F) {
	for _, effect := range effects {
		f.Add([]byte(`{"requirements":[],"updates":[` + effect.updates + `]}`))
	}
	for _, refusal := range refusals {
		f.Add([]byte(`{"requirements":[],"updates":[` + refusal.updates + `]}`))
	}
	f.Add([]byte(`{"requirements":[{"type":"assert-create"}],"updates":[` + staged + `]}`))
	base := grown(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		reqs, updates, err := metadata.DecodeCommit(body)
		if kind(err) == "other" {
			t.Fatalf("%T %v", err, err)
		}
		if err != nil {
			return
		}
		for _, from := range []*metadata.Document{base, nil} {
			d, err := metadata.Commit(from, reqs, updates, later, other)
			if kind(err) == "other" {
				t.Fatalf("%T %v", err, err)
			}
			if err == nil {
				reparse(t, d)
			}
		}
	})
}
