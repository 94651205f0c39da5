package metadata_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"puddle/rest/metadata"
)

// parts are all that a document holds, as it is written: members by name, and
// what is in lists by its id too.
func parts(t rapid.TB, document []byte) map[string]string {
	t.Helper()
	ids := map[string]string{
		"schemas": "schema-id", "partition-specs": "spec-id", "sort-orders": "order-id", "snapshots": "snapshot-id",
		"statistics": "snapshot-id", "partition-statistics": "snapshot-id", "encryption-keys": "key-id",
	}
	all := map[string]string{}
	for name, value := range membersOf(t, document) {
		switch id, listed := ids[name]; {
		case listed:
			var items []jsontext.Value
			if err := json.Unmarshal(value, &items); err != nil {
				t.Fatal(err)
			}
			for _, item := range items {
				all[name+"/"+strings.Trim(string(membersOf(t, item)[id]), `"`)] = string(item)
			}
		case name == "refs" || name == "properties":
			for key, item := range membersOf(t, value) {
				all[name+"/"+key] = string(item)
			}
		default:
			all[name] = string(value)
		}
	}
	return all
}

func membersOf(t rapid.TB, object []byte) (members map[string]jsontext.Value) {
	t.Helper()
	if err := json.Unmarshal(object, &members); err != nil {
		t.Fatal(err)
	}
	return members
}

// saying is a commit with the parts of the table that it speaks of.
type saying struct {
	updates string
	of      []string
}

// said is a commit of every action, about what has the given number.
func said(version int, has map[string]string, n int64) []saying {
	var sequence, row int64
	_, _ = fmt.Sscan(has["last-sequence-number"], &sequence)
	_, _ = fmt.Sscan(has["next-row-id"], &row)
	snapshot := addSnapshot(100+sequence, sequence+1, fmt.Sprintf(`,"first-row-id":%d,"added-rows":%d,"key-id":"k%d"`, row, n, n))
	if version == 1 {
		snapshot = appended(1, 100+n, 50, "")
	}
	branch, tag := fmt.Sprintf("b%d", n), fmt.Sprintf("t%d", n)
	one := fmt.Sprintf(`"snapshot-id":%d`, n)
	key := fmt.Sprintf(`{"action":"add-encryption-key","encryption-key":{"key-id":"new%d","encrypted-key-metadata":"YWE="}}`, n)
	return []saying{
		{`{"action":"assign-uuid","uuid":"` + tableID.String() + `"}`, nil},
		{upgraded(int(n%3) + 1), []string{"format-version", "last-sequence-number", "next-row-id", "current-snapshot-id", "schema", "partition-spec"}},
		{setLocationTo(fmt.Sprint("s3://b/", n)), []string{"location"}},
		{fmt.Sprintf(`{"action":"set-properties","updates":{"p%d":"\u00e9"}}`, n), []string{fmt.Sprintf("properties/p%d", n)}},
		{fmt.Sprintf(`{"action":"remove-properties","removals":["p%d"]}`, n), []string{fmt.Sprintf("properties/p%d", n)}},
		{fmt.Sprintf(`{"action":"add-schema","schema":{"type":"struct","fields":[{"id":1,"name":"id","type":"long","required":true},{"id":%d,"name":"new","type":"int","required":false}]}}`, 10+n),
			[]string{"schemas/*", "last-column-id"}},
		{fmt.Sprintf(`{"action":"set-current-schema","schema-id":%d}`, n), []string{"current-schema-id", "schema"}},
		{fmt.Sprintf(`{"action":"remove-schemas","schema-ids":[%d]}`, n), []string{fmt.Sprintf("schemas/%d", n)}},
		{fmt.Sprintf(`{"action":"add-spec","spec":{"fields":[{"source-id":1,"field-id":1000,"name":"n","transform":"truncate[%d]"}]}}`, n),
			[]string{"partition-specs/*", "last-partition-id"}},
		{fmt.Sprintf(`{"action":"set-default-spec","spec-id":%d}`, n), []string{"default-spec-id", "partition-spec"}},
		{fmt.Sprintf(`{"action":"remove-partition-specs","spec-ids":[%d]}`, n), []string{fmt.Sprintf("partition-specs/%d", n)}},
		{fmt.Sprintf(`{"action":"add-sort-order","sort-order":{"order-id":1,"fields":[{"source-id":1,"transform":"truncate[%d]","direction":"asc","null-order":"nulls-last"}]}}`, n),
			[]string{"sort-orders/*"}},
		{fmt.Sprintf(`{"action":"set-default-sort-order","sort-order-id":%d}`, n), []string{"default-sort-order-id"}},
		{snapshot, []string{"snapshots/*", "last-sequence-number", "next-row-id"}},
		{fmt.Sprintf(`{"action":"remove-snapshots","snapshot-ids":[%d]}`, n), gone(has, n)},
		{setMain(n), []string{"refs/main", "current-snapshot-id", "snapshot-log"}},
		{setBranch(branch, n), []string{"refs/" + branch}},
		{fmt.Sprintf(`{"action":"set-snapshot-ref","ref-name":%q,"type":"tag","snapshot-id":%d,"max-ref-age-ms":%d}`, tag, n, n), []string{"refs/" + tag}},
		{fmt.Sprintf(`{"action":"remove-snapshot-ref","ref-name":%q}`, branch), []string{"refs/" + branch}},
		{strings.Replace(statistics(int(n)), `"p"`, `"p2"`, 1), []string{fmt.Sprintf("statistics/%d", n)}},
		{`{"action":"remove-statistics",` + one + `}`, []string{fmt.Sprintf("statistics/%d", n)}},
		{strings.Replace(partitionStatistics(int(n)), `"p"`, `"p2"`, 1), []string{fmt.Sprintf("partition-statistics/%d", n)}},
		{`{"action":"remove-partition-statistics",` + one + `}`, []string{fmt.Sprintf("partition-statistics/%d", n)}},
		{key, []string{fmt.Sprintf("encryption-keys/new%d", n)}},
		{fmt.Sprintf(`{"action":"remove-encryption-key","key-id":"k%d"}`, n), []string{fmt.Sprintf("encryption-keys/k%d", n)}},
	}
}

// gone is all that goes with a snapshot.
func gone(has map[string]string, n int64) []string {
	of := []string{"snapshot-log", "current-snapshot-id"}
	for _, list := range []string{"snapshots", "statistics", "partition-statistics"} {
		of = append(of, fmt.Sprintf("%s/%d", list, n))
	}
	for part, text := range has {
		var ref struct {
			Snapshot int64 `json:"snapshot-id"`
		}
		if strings.HasPrefix(part, "refs/") && json.Unmarshal([]byte(text), &ref) == nil && ref.Snapshot == n {
			of = append(of, part)
		}
	}
	return of
}

// full is a table that has some of everything, with the numbers 1 to 4.
func full(t testing.TB, version int) *metadata.Document {
	t.Helper()
	d := created(t, version)
	for n := int64(1); n <= 4; n++ {
		updates := []string{
			fmt.Sprintf(`{"action":"add-schema","schema":{"type":"struct","fields":[{"id":1,"name":"id","type":"long","required":true},{"id":%d,"name":"c%d","type":"int","required":false}]}}`, 10*n, n),
			fmt.Sprintf(`{"action":"add-spec","spec":{"fields":[{"source-id":1,"field-id":1000,"name":"b","transform":"bucket[%d]"}]}}`, n),
			fmt.Sprintf(`{"action":"add-sort-order","sort-order":{"order-id":1,"fields":[{"source-id":1,"transform":"bucket[%d]","direction":"asc","null-order":"nulls-last"}]}}`, n),
			fmt.Sprintf(`{"action":"set-properties","updates":{"p%d":"v"}}`, n),
			appended(version, n, n, fmt.Sprintf(`,"key-id":"k%d"`, n)), setMain(n), setBranch(fmt.Sprint("b", n), n),
			fmt.Sprintf(`{"action":"set-snapshot-ref","ref-name":"keep%d","type":"branch","snapshot-id":%d,"min-snapshots-to-keep":3,"max-snapshot-age-ms":4,"max-ref-age-ms":5}`, n, n),
			statistics(int(n)), partitionStatistics(int(n)),
		}
		if version == 3 {
			updates = append(updates, fmt.Sprintf(`{"action":"add-encryption-key","encryption-key":{"key-id":"k%d","encrypted-key-metadata":"YWE="}}`, n))
		}
		d = must(t, d, list(updates...))
	}
	return d
}

// onlySaid checks that a commit changed no other part than those it speaks of,
// beside what every commit writes.
func onlySaid(t rapid.TB, s saying, base, next *metadata.Document) {
	t.Helper()
	was, is := parts(t, base.Bytes()), parts(t, next.Bytes())
	of := append(slices.Clone(s.of), "last-updated-ms", "metadata-log")
	for _, side := range []map[string]string{was, is} {
		for part := range side {
			before, had := was[part]
			after, has := is[part]
			list, _, _ := strings.Cut(part, "/")
			fresh := !had && slices.Contains(of, list+"/*")
			if (before != after || had != has) && !fresh && !slices.Contains(of, part) {
				t.Fatalf("%s\nmade of %s\n%s\nwhich was\n%s", s.updates, part, after, before)
			}
		}
	}
}

// TestLawOnlyWhatIsSaidChanges: whatever a commit says, all that it does not speak
// of stays as it is written: statistics, branches, tags, encryption keys,
// snapshots with their key ids, and what nobody knows.
func TestLawOnlyWhatIsSaidChanges(t *testing.T) {
	tables := []*metadata.Document{full(t, 1), full(t, 2), full(t, 3)}
	rapid.Check(t, func(t *rapid.T) {
		base := tables[rapid.IntRange(0, 2).Draw(t, "table")]
		base, err := metadata.Parse(withUnknown(t, base.Bytes()), location)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 10).Draw(t, "commits") {
			n := rapid.Int64Range(1, 5).Draw(t, "number")
			s := rapid.SampledFrom(said(base.FormatVersion(), parts(t, base.Bytes()), n)).Draw(t, "commit")
			next, err := try(base, s.updates)
			if err != nil {
				continue
			}
			onlySaid(t, s, base, next)
			base = next
		}
	})
}

// TestEveryActionIsSaid with an effect, but for the one that never has one on a
// table that is there.
func TestEveryActionIsSaid(t *testing.T) {
	actions := map[string]bool{}
	for version := 2; version <= 3; version++ {
		d := full(t, version)
		for _, n := range []int64{2, 3} {
			for _, s := range said(version, parts(t, d.Bytes()), n) {
				_, decoded, err := metadata.DecodeCommit([]byte(`{"updates":[` + s.updates + `]}`))
				if err != nil {
					t.Fatal(err)
				}
				next, err := try(d, s.updates)
				actions[decoded[0].Action()] = actions[decoded[0].Action()] || err == nil && next != d
			}
		}
	}
	for action, effect := range actions {
		if effect == (action == "assign-uuid") {
			t.Errorf("%s has an effect: %t", action, effect)
		}
	}
	if len(actions) != 23 {
		t.Errorf("%d actions", len(actions))
	}
}
