package metadata_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"puddle/rest/metadata"
)

// additive draws an update of a table of a format version that removes nothing.
func additive(t *rapid.T, version int) string {
	id := rapid.Int64Range(1, 6).Draw(t, "id")
	large := rapid.SampledFrom([]int64{0, 4598286611352242712, 9007199254740993}).Draw(t, "large")
	key := rapid.SampledFrom([]string{"a", "b", "ключ", "write.metadata.path"}).Draw(t, "key")
	return rapid.SampledFrom([]string{
		appended(version, id+large, rapid.Int64Range(1, 9).Draw(t, "sequence"), ""),
		fmt.Sprintf(`{"action":"add-encryption-key","encryption-key":{"key-id":"k%d","encrypted-key-metadata":"YWE="}}`, id),
		setMain(id + large), setBranch("dev", id+large),
		fmt.Sprintf(`{"action":"set-snapshot-ref","ref-name":"tag","type":"tag","snapshot-id":%d,"max-ref-age-ms":%d}`, id+large, id),
		fmt.Sprintf(`{"action":"set-properties","updates":{%q:"s3://x/%d"}}`, key, id),
		fmt.Sprintf(`{"action":"add-schema","schema":{"type":"struct","fields":[{"id":1,"name":"id","type":"long","required":true},{"id":%d,"name":"c%d","type":"int","required":false}]}}`, id+1, id),
		`{"action":"set-current-schema","schema-id":-1}`,
		fmt.Sprintf(`{"action":"add-spec","spec":{"fields":[{"source-id":1,"name":"b%d","transform":"bucket[%d]"}]}}`, id, id),
		`{"action":"set-default-spec","spec-id":-1}`,
		fmt.Sprintf(`{"action":"add-sort-order","sort-order":{"order-id":1,"fields":[{"source-id":1,"transform":"bucket[%d]","direction":"asc","null-order":"nulls-last"}]}}`, id),
		`{"action":"set-default-sort-order","sort-order-id":-1}`,
	}).Draw(t, "additive")
}

// anyUpdate draws an update of any kind.
func anyUpdate(t *rapid.T, version int) string {
	id := rapid.Int64Range(1, 6).Draw(t, "id")
	return rapid.SampledFrom([]string{
		additive(t, version), additive(t, version), additive(t, version),
		upgraded(rapid.IntRange(1, 3).Draw(t, "version")), fmt.Sprintf(`{"action":"remove-encryption-key","key-id":"k%d"}`, id),
		fmt.Sprintf(`{"action":"remove-snapshots","snapshot-ids":[%d,%d]}`, id, id+1),
		`{"action":"remove-snapshot-ref","ref-name":"main"}`, `{"action":"remove-snapshot-ref","ref-name":"dev"}`,
		`{"action":"remove-properties","removals":["a"]}`,
		fmt.Sprintf(`{"action":"remove-schemas","schema-ids":[%d]}`, id),
		fmt.Sprintf(`{"action":"remove-partition-specs","spec-ids":[%d]}`, id),
		statistics(int(id)), partitionStatistics(int(id)),
		fmt.Sprintf(`{"action":"remove-statistics","snapshot-id":%d}`, id),
		fmt.Sprintf(`{"action":"set-properties","updates":{"write.metadata.previous-versions-max":"%d"}}`, id-2),
	}).Draw(t, "update")
}

// emptyTables are tables to begin with: one of each format version, and one of an
// old writer.
func emptyTables(t *testing.T) []*metadata.Document {
	return []*metadata.Document{created(t, 1), created(t, 2), created(t, 3), parseOld(t, onlySchema+onlySpec), parseOld(t, lists)}
}

// drawn is a table after some commits.
func drawn(t *rapid.T, base *metadata.Document, update func(*rapid.T, int) string) *metadata.Document {
	for range rapid.IntRange(0, 12).Draw(t, "commits") {
		next, err := try(base, list(drawnUpdates(t, of(base, update))...))
		if err == nil {
			base = next
		}
	}
	return base
}

// of narrows a generator of updates to the format version of a table.
func of(d *metadata.Document, update func(*rapid.T, int) string) func(*rapid.T) string {
	return func(t *rapid.T) string { return update(t, d.FormatVersion()) }
}

func drawnUpdates(t *rapid.T, update func(*rapid.T) string) []string {
	updates := make([]string, rapid.IntRange(1, 4).Draw(t, "updates"))
	for i := range updates {
		updates[i] = update(t)
	}
	return updates
}

// TestLawCommitIsPure: a commit yields the same for the same, changes none of its
// arguments, and what it yields reads back and commits on as the same document.
func TestLawCommitIsPure(t *testing.T) {
	tables := emptyTables(t)
	rapid.Check(t, func(t *rapid.T) {
		base := drawn(t, tables[rapid.IntRange(0, len(tables)-1).Draw(t, "table")], anyUpdate)
		before := string(base.Bytes())
		body := []byte(`{"updates":[` + list(drawnUpdates(t, of(base, anyUpdate))...) + `]}`)
		reqs, updates, err := metadata.DecodeCommit(body)
		if err != nil {
			t.Fatal(err)
		}
		sent := string(body)
		next, err := commit(base, reqs, updates, later, other)
		again, err2 := commit(base, reqs, updates, later, other)
		if string(base.Bytes()) != before || string(body) != sent {
			t.Fatal("an argument changed")
		}
		if err != nil {
			if err2 == nil || err.Error() != err2.Error() || kind(err) == "other" {
				t.Fatalf("refused with %v, then with %v", err, err2)
			}
			return
		}
		if err2 != nil || string(again.Bytes()) != string(next.Bytes()) || again.MetadataLocation() != next.MetadataLocation() {
			t.Fatal("the same commit yields another document")
		}
		if next == base && again != base {
			t.Fatal("no effect once, an effect then")
		}
		sameFromFile(t, next)
	})
}

// sameFromFile checks that a document in memory and one read from its bytes
// commit to the same bytes.
func sameFromFile(t *rapid.T, d *metadata.Document) {
	file, err := metadata.Parse(bytes.Clone(d.Bytes()), d.MetadataLocation())
	if err != nil {
		t.Fatalf("written document does not load: %v\n%s", err, d.Bytes())
	}
	updates := list(drawnUpdates(t, of(d, anyUpdate))...)
	fromMemory, err := try(d, updates)
	fromFile, err2 := try(file, updates)
	if kind(err) != kind(err2) {
		t.Fatalf("%s: %v in memory, %v from its file", updates, err, err2)
	}
	if err == nil && string(fromMemory.Bytes()) != string(fromFile.Bytes()) {
		t.Fatalf("in memory and from its file commit differently:\n%s", cmp.Diff(string(fromMemory.Bytes()), string(fromFile.Bytes())))
	}
	if (fromMemory == d) != (fromFile == file) {
		t.Fatal("no effect on one, an effect on the other")
	}
}

// marks finds the unknown members that withUnknown puts in.
var marks = regexp.MustCompile(`"x-law-\d+":\s*[^,}]+`)

// withUnknown puts a member that nobody knows into every object of a document
// whose names are not free.
func withUnknown(t *rapid.T, document []byte) []byte {
	var out bytes.Buffer
	in := jsontext.NewDecoder(bytes.NewReader(document))
	enc := jsontext.NewEncoder(&out, jsontext.SpaceAfterColon(rapid.Bool().Draw(t, "space")), jsontext.Multiline(rapid.Bool().Draw(t, "lines")))
	for n := 0; ; {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return out.Bytes()
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := enc.WriteToken(token); err != nil {
			t.Fatal(err)
		}
		place := string(in.StackPointer())
		if token.Kind() != '{' || strings.HasSuffix(place, "properties") || strings.HasSuffix(place, "refs") || strings.HasSuffix(place, "summary") {
			continue
		}
		n++
		value := rapid.SampledFrom([]string{"1.50", "12345678901234567890", `"\u00e9\/"`, "null", "1E+2"}).Draw(t, "value")
		if errors.Join(enc.WriteToken(jsontext.String(fmt.Sprintf("x-law-%d", n))), enc.WriteValue(jsontext.Value(value))) != nil {
			t.Fatal("cannot write")
		}
	}
}

// withoutSingles is a document's text without what format version 1 has twice.
func withoutSingles(t *rapid.T, d *metadata.Document) string {
	text := string(d.Bytes())
	if d.FormatVersion() > 1 {
		return text
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(d.Bytes(), &members); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"schema", "partition-spec"} {
		text = strings.Replace(text, string(members[name]), "", 1)
	}
	return text
}

// TestLaw10_UnknownMembersSurvive any commit that does not remove what holds them.
func TestLaw10_UnknownMembersSurvive(t *testing.T) {
	tables := emptyTables(t)
	rapid.Check(t, func(t *rapid.T) {
		begun, err := try(tables[rapid.IntRange(0, len(tables)-1).Draw(t, "table")], setLocationTo("s3://b/u"))
		if err != nil {
			t.Fatal(err)
		}
		text := withUnknown(t, drawn(t, begun, additive).Bytes())
		base, err := metadata.Parse(text, location)
		if err != nil {
			t.Fatal(err)
		}
		next := drawn(t, base, additive)
		// The single fields of format version 1 are copies: what they have is passed over.
		if diff := cmp.Diff(marks.FindAllString(withoutSingles(t, base), -1), marks.FindAllString(withoutSingles(t, next), -1)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestLawWarehousesCommitOn: every file that an engine wrote takes a commit that
// changes a property, and keeps all else.
func TestLawWarehousesCommitOn(t *testing.T) {
	eachFile(t, func(path string, file []byte) {
		base, err := metadata.Parse(file, "file://"+path)
		if err != nil {
			t.Fatal(err)
		}
		next, err := tryAt(base, "", `{"action":"set-properties","updates":{"added":"1"}}`, base.LastUpdated().Add(time.Second))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		for _, member := range []string{"schemas", "snapshots", "refs", "partition-specs", "snapshot-log", "statistics"} {
			if got, want := at(t, next.Bytes(), member), at(t, file, member); got != want {
				t.Errorf("%s: %s is %s, want %s", path, member, got, want)
			}
		}
	})
}

// TestDocumentsAreShared: goroutines commit to one base without seeing each other.
func TestDocumentsAreShared(t *testing.T) {
	base := grown(t)
	before := string(base.Bytes())
	var wg sync.WaitGroup
	results := make([]string, 8)
	for i := range results {
		wg.Go(func() {
			d, err := try(base, list(addSnapshot(int64(100+i), 9, ""), setMain(int64(100+i)), `{"action":"remove-snapshots","snapshot-ids":[1]}`))
			if err != nil {
				t.Error(err)
				return
			}
			results[i] = at(t, d.Bytes(), "current-snapshot-id") + string(d.ReferencedSnapshots()[:1])
		})
	}
	wg.Wait()
	for i, result := range results {
		if result != itoa(100+i)+"{" {
			t.Errorf("commit %d yields %s", i, result)
		}
	}
	if string(base.Bytes()) != before {
		t.Error("the base changed")
	}
}
