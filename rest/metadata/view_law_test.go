package metadata_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"puddle/internal/fuzztest"
	"puddle/rest/metadata"
)

// additiveView draws an update of a view that removes nothing.
func additiveView(t *rapid.T) string {
	n := rapid.IntRange(1, 5).Draw(t, "n")
	return rapid.SampledFrom([]string{
		replacement(n), addVersion(viewVersion(n, -1, "SELECT a", "spark", "trino")),
		`{"action":"add-view-version","view-version":` + viewVersion(n, rapid.IntRange(-1, 2).Draw(t, "schema"), fmt.Sprintf("SELECT %d", n), "Spark") + `}`,
		setVersion(-1), setVersion(n),
		fmt.Sprintf(`{"action":"add-schema","schema":{"type":"struct","fields":[{"id":%d,"name":"c","type":"int","required":false}]}}`, n%3),
		fmt.Sprintf(`{"action":"set-properties","updates":{%q:"s3://x/%d"}}`, rapid.SampledFrom([]string{"a", "ключ", "write.metadata.path"}).Draw(t, "key"), n),
		`{"action":"set-properties","updates":{"replace.drop-dialect.allowed":"true"}}`,
		fmt.Sprintf(`{"action":"set-location","location":"s3://b/%d"}`, n),
		`{"action":"assign-uuid","uuid":"11111111-2222-4333-8444-555555555555"},{"action":"upgrade-format-version","format-version":1}`,
	}).Draw(t, "additive")
}

// anyViewUpdate draws an update of a view of any kind.
func anyViewUpdate(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		additiveView(t), additiveView(t), additiveView(t),
		fmt.Sprintf(`{"action":"set-properties","updates":{"version.history.num-entries":"%d"}}`, rapid.IntRange(0, 4).Draw(t, "entries")),
		`{"action":"remove-properties","removals":["owner","comment","a"]}`,
		`{"action":"remove-properties","removals":["version.history.num-entries","replace.drop-dialect.allowed"]}`,
	}).Draw(t, "update")
}

// drawnView is a view after some commits.
func drawnView(t *rapid.T, base *metadata.View, update func(*rapid.T) string) *metadata.View {
	for range rapid.IntRange(0, 12).Draw(t, "commits") {
		if next, err := tryView(base, list(drawnUpdates(t, update)...)); err == nil {
			base = next
		}
	}
	return base
}

// TestLawViewCommitIsPure: a commit yields the same for the same, changes none
// of its arguments, and what it yields reads back and commits on as the same.
func TestLawViewCommitIsPure(t *testing.T) {
	first := newView(t)
	rapid.Check(t, func(t *rapid.T) {
		base := drawnView(t, first, anyViewUpdate)
		before := string(base.Bytes())
		body := []byte(`{"updates":[` + list(drawnUpdates(t, anyViewUpdate)...) + `]}`)
		sent := string(body)
		reqs, updates, err := metadata.DecodeViewCommit(body)
		if err != nil {
			t.Fatal(err)
		}
		next, err := commitView(base, reqs, updates, later, other)
		again, err2 := commitView(base, reqs, updates, later, other)
		if string(base.Bytes()) != before || string(body) != sent {
			t.Fatal("an argument changed")
		}
		if err != nil {
			if err2 == nil || err.Error() != err2.Error() || kind(err) != "invalid" {
				t.Fatalf("refused with %v, then with %v", err, err2)
			}
			return
		}
		if err2 != nil || string(again.Bytes()) != string(next.Bytes()) || again.MetadataLocation() != next.MetadataLocation() || (next == base) != (again == base) {
			t.Fatal("the same commit yields another view")
		}
		sameViewFromFile(t, next)
	})
}

// sameViewFromFile checks that a view in memory and one read from its bytes
// commit to the same bytes.
func sameViewFromFile(t *rapid.T, v *metadata.View) {
	file, err := metadata.ParseView(bytes.Clone(v.Bytes()), v.MetadataLocation())
	if err != nil {
		t.Fatalf("written view does not load: %v\n%s", err, v.Bytes())
	}
	updates := list(drawnUpdates(t, anyViewUpdate)...)
	fromMemory, err := tryView(v, updates)
	fromFile, err2 := tryView(file, updates)
	if kind(err) != kind(err2) || (fromMemory == v) != (fromFile == file) {
		t.Fatalf("%s: %v in memory, %v from its file", updates, err, err2)
	}
	if err == nil && string(fromMemory.Bytes()) != string(fromFile.Bytes()) {
		t.Fatalf("in memory and from its file commit differently:\n%s", cmp.Diff(string(fromMemory.Bytes()), string(fromFile.Bytes())))
	}
}

// TestLaw10_UnknownMembersOfViewsSurvive any commit that does not expire what
// holds them.
func TestLaw10_UnknownMembersOfViewsSurvive(t *testing.T) {
	first := mustView(t, newView(t), `{"action":"set-properties","updates":{"version.history.num-entries":"1000"}}`)
	rapid.Check(t, func(t *rapid.T) {
		text := withUnknown(t, drawnView(t, first, additiveView).Bytes())
		base, err := metadata.ParseView(text, location)
		if err != nil {
			t.Fatal(err)
		}
		next := drawnView(t, base, additiveView)
		if diff := cmp.Diff(marks.FindAllString(string(text), -1), marks.FindAllString(string(next.Bytes()), -1)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestLaw63_VersionsAreBounded: there are no more versions than the property
// keeps, the current one is among them, and the log names what is there and ends
// with it.
func TestLaw63_VersionsAreBounded(t *testing.T) {
	first := newView(t)
	rapid.Check(t, func(draw *rapid.T) {
		base := drawnView(draw, first, anyViewUpdate)
		size := rapid.IntRange(1, 4).Draw(draw, "size")
		v, err := tryView(base, fmt.Sprintf(`{"action":"set-properties","updates":{"version.history.num-entries":"%d","x":"1"}}`, size))
		if err != nil {
			draw.Fatal(err)
		}
		versions := strings.Fields(versionIDs(t, v, "versions"))
		log := strings.Fields(versionIDs(t, v, "version-log"))
		current := at(t, v.Bytes(), "current-version-id")
		if len(versions) > size || !slices.Contains(versions, current) {
			draw.Fatalf("keeps %v of %d, current is %s", versions, size, current)
		}
		if len(log) == 0 || log[len(log)-1] != current {
			draw.Fatalf("the log says %v, current is %s", log, current)
		}
		for _, id := range log {
			if !slices.Contains(versions, id) {
				draw.Fatalf("the log names version %s, there are %v", id, versions)
			}
		}
	})
}

// FuzzParseView: whatever is read takes a commit, and what that yields is read
// again.
func FuzzParseView(f *testing.F) {
	odd, err := os.ReadFile("testdata/odd.view.metadata.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(odd)
	f.Add(newView(f).Bytes())
	f.Add(mustView(f, newView(f), replacement(2)).Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		var base *metadata.View
		var err error
		fuzztest.Bounded(t, len(file), 128, 0, func() { base, err = metadata.ParseView(file, location) })
		if err != nil {
			if kind(err) != "invalid" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		mustView(t, base, `{"action":"set-properties","updates":{"fuzzed":"1","version.history.num-entries":"1"}}`)
	})
}

// FuzzDecodeViewCommit: no body breaks a commit, and what one yields is read
// again.
func FuzzDecodeViewCommit(f *testing.F) {
	for _, effect := range viewEffects {
		f.Add([]byte(`{"requirements":[],"updates":[` + effect.updates + `]}`))
	}
	for _, refusal := range viewRefusals {
		f.Add([]byte(`{"requirements":[],"updates":[` + refusal.updates + `]}`))
	}
	base := mustView(f, newView(f), replacement(2))
	f.Fuzz(func(t *testing.T, body []byte) {
		reqs, updates, err := metadata.DecodeViewCommit(body)
		if err == nil {
			var v *metadata.View
			if v, err = commitView(base, reqs, updates, later, other); err == nil {
				reparseView(t, v)
			}
		}
		if kind(err) == "other" {
			t.Fatalf("%T %v", err, err)
		}
	})
}
