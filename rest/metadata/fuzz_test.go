package metadata_test

import (
	"os"
	"testing"

	"puddle/internal/fuzztest"
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
	for version := 1; version <= 3; version++ {
		f.Add(grownIn(f, version).Bytes())
	}
	f.Add([]byte(old + onlySchema + onlySpec + `}`))
	f.Add([]byte(old + lists + `}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		var base *metadata.Document
		var err error
		fuzztest.Bounded(t, len(file), 128, 0, func() { base, err = metadata.Parse(file, location) })
		if err != nil {
			if kind(err) == "other" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		base = base.WithUUID(tableID)
		must(t, base, `{"action":"set-properties","updates":{"fuzzed":"1"}}`)
		for version := base.FormatVersion() + 1; version <= 3; version++ {
			must(t, base, upgraded(version))
		}
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
	for version := 1; version <= 3; version++ {
		f.Add([]byte(`{"updates":[` + list(appended(version, 7, 4, ""), setMain(7), upgraded(version)) + `]}`))
	}
	for _, refusal := range refusals {
		f.Add([]byte(`{"requirements":[],"updates":[` + refusal.updates + `]}`))
	}
	f.Add([]byte(`{"requirements":[{"type":"assert-create"}],"updates":[` + staged + `]}`))
	bases := []*metadata.Document{nil, grownIn(f, 1), grownIn(f, 2), grownIn(f, 3), parseOld(f, onlySchema+onlySpec)}
	f.Fuzz(func(t *testing.T, body []byte) {
		reqs, updates, err := metadata.DecodeCommit(body)
		if kind(err) == "other" {
			t.Fatalf("%T %v", err, err)
		}
		if err != nil {
			return
		}
		for _, from := range bases {
			d, err := commit(from, reqs, updates, later, other)
			if kind(err) == "other" {
				t.Fatalf("%T %v", err, err)
			}
			if err == nil {
				reparse(t, d)
			}
		}
	})
}
