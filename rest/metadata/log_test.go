package metadata_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/rest/metadata"
)

func TestMetadataLog(t *testing.T) {
	base := newTable(t)
	d := must(t, base, setLocationTo("s3://b/u"))
	expect(t, d, map[string]string{
		"metadata-log":    fmt.Sprintf(`[{"timestamp-ms":1700000000000,"metadata-file":%q}]`, base.MetadataLocation()),
		"last-updated-ms": "1700000001000",
	})
	if want := "s3://b/u/metadata/00001-" + other.String() + ".metadata.json"; d.MetadataLocation() != want {
		t.Errorf("next file %s, want %s", d.MetadataLocation(), want)
	}
	entries := d.MetadataLog()
	if len(entries) != 1 || entries[0].Location != base.MetadataLocation() || !entries[0].LastUpdated.Equal(born) {
		t.Errorf("metadata log %v", entries)
	}
}

// TestCase127_PreviousVersions: the limit is read from the new properties, counts
// the new entry and is at least 1; a limit in a file that is no number is the
// default.
func TestCase127_PreviousVersions(t *testing.T) {
	base := newTable(t)
	for i := range 120 {
		base = must(t, base, fmt.Sprintf(`{"action":"set-properties","updates":{"n":"%d"}}`, i))
	}
	if n := len(base.MetadataLog()); n != 100 {
		t.Errorf("%d entries, want 100", n)
	}
	for limit, want := range map[string]int{"3": 3, "1": 1, "0": 1, "-1": 1, "500": 101} {
		d := must(t, base, `{"action":"set-properties","updates":{"write.metadata.previous-versions-max":"`+limit+`"}}`)
		entries := d.MetadataLog()
		if len(entries) != want || entries[want-1].Location != base.MetadataLocation() {
			t.Errorf("limit %s keeps %d entries, want %d, the last of them the base", limit, len(entries), want)
		}
	}
	odd := parse(t, strings.Replace(string(base.Bytes()), `"owner":"me"`, `"write.metadata.previous-versions-max":"x"`, 1))
	if n := len(must(t, odd, setLocationTo("s3://b/u")).MetadataLog()); n != 100 {
		t.Errorf("%d entries with an odd limit, want 100", n)
	}
}

func TestSnapshotLog(t *testing.T) {
	base := grown(t) // 1, then 2
	tests := []struct{ name, updates, want string }{
		{"an added snapshot's own time", list(addSnapshot(4, 4, ""), setMain(4)), "1@1 2@2 4@4"},
		{"an old snapshot's time is now", setMain(1), "1@1 2@2 1@1000"},
		{"passing snapshots are dropped", list(addSnapshot(4, 4, ""), addSnapshot(5, 5, ""), setMain(4), setMain(5)), "1@1 2@2 5@5"},
		{"passing, and back", list(addSnapshot(4, 4, ""), setMain(4), setMain(2)), "1@1 2@2 2@1000"},
		{"a gap clears what is before it", list(setMain(3), `{"action":"remove-snapshots","snapshot-ids":[2]}`), "3@1000"},
		{"removal without a gap", `{"action":"remove-snapshots","snapshot-ids":[3]}`, "1@1 2@2"},
		{"the first is removed", `{"action":"remove-snapshots","snapshot-ids":[1]}`, "2@2"},
		{"main is removed and set again", list(`{"action":"remove-snapshot-ref","ref-name":"main"}`, setMain(2)), "1@1 2@2 2@1000"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := must(t, base, test.updates)
			var entries []string
			for i := 0; at(t, d.Bytes(), fmt.Sprintf("snapshot-log/%d", i)) != "absent"; i++ {
				id := at(t, d.Bytes(), fmt.Sprintf("snapshot-log/%d/snapshot-id", i))
				var ms int64
				fmt.Sscan(at(t, d.Bytes(), fmt.Sprintf("snapshot-log/%d/timestamp-ms", i)), &ms)
				entries = append(entries, fmt.Sprintf("%s@%d", id, ms-born.UnixMilli()))
			}
			if got := strings.Join(entries, " "); got != test.want {
				t.Errorf("log %q, want %q", got, test.want)
			}
		})
	}
}

// TestClocksThatDisagree: a clock that runs ahead or behind never yields a file
// that does not load.
func TestClocksThatDisagree(t *testing.T) {
	ahead := born.Add(time.Hour).UnixMilli()
	snapshot := fmt.Sprintf(`{"action":"add-snapshot","snapshot":{"snapshot-id":1,"sequence-number":1,"timestamp-ms":%d,%s}}`, ahead, manifests)
	d := must(t, newTable(t), list(snapshot, setMain(1)))
	if d.LastUpdated().UnixMilli() != ahead {
		t.Errorf("last updated %v", d.LastUpdated())
	}
	d = must(t, d, list(addSnapshot(2, 2, `,"parent-snapshot-id":1`), setMain(2)))
	expect(t, d, map[string]string{"snapshot-log/1/timestamp-ms": fmt.Sprint(ahead), "snapshots/1/timestamp-ms": fmt.Sprint(born.UnixMilli() + 2)})
	behind, err := tryAt(newTable(t), "", setLocationTo("s3://b/u"), born.Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	reparse(t, behind)
	if !behind.LastUpdated().Equal(born) {
		t.Errorf("last updated %v, want the base's", behind.LastUpdated())
	}
}

// TestCase28_NextFileName: one more than the version in the base's name.
func TestCase28_NextFileName(t *testing.T) {
	text := newTable(t).Bytes()
	for name, want := range map[string]string{
		"00007-u.metadata.json":               "00008",
		"v7.metadata.json":                    "00008",
		"v00007-u.metadata.json":              "00008",
		"v7.gz.metadata.json":                 "00008",
		"v7.metadata.json.gz":                 "00008",
		"00007-u.gz.metadata.json":            "00008",
		"u.metadata.json":                     "00001",
		"v1720710382.metadata.json":           "1720710383",
		"99999-u.metadata.json":               "100000",
		"9223372036854775807-u.metadata.json": "00001",
		"7metadata.json":                      "00001",
		"":                                    "00001",
	} {
		base, err := metadata.Parse(text, "s3://b/x-1/metadata/"+name)
		if err != nil {
			t.Fatal(err)
		}
		d := must(t, base, `{"action":"set-properties","updates":{"write.metadata.path":"s3://c/m/"}}`)
		if want := "s3://c/m/" + want + "-" + other.String() + ".metadata.json"; d.MetadataLocation() != want {
			t.Errorf("%s is followed by %s, want %s", name, d.MetadataLocation(), want)
		}
		if d.MetadataFolder() != "s3://c/m" {
			t.Errorf("metadata folder %s", d.MetadataFolder())
		}
	}
}

// TestCase1_CompressedNames: a gzipped file is told by its name, in both
// spellings, and the property chooses that of the next one.
func TestCase1_CompressedNames(t *testing.T) {
	text := replaced(t, newTable(t), `"owner":"me"`, `"write.metadata.compression-codec":"GZip"`)
	for name, compressed := range map[string]bool{
		"00001-u.gz.metadata.json": true, "v3.gz.metadata.json": true, "v3.metadata.json.gz": true,
		"00001-u.metadata.json": false, "v3.gzip.metadata.json": false, "gz.metadata.json": false,
	} {
		base, err := metadata.Parse([]byte(text), "s3://b/t/metadata/"+name)
		if err != nil {
			t.Fatal(err)
		}
		if metadata.IsCompressedName(base.MetadataLocation()) != compressed {
			t.Errorf("%s: compressed %t", name, metadata.IsCompressedName(base.MetadataLocation()))
		}
		if next := must(t, base, setLocationTo("s3://b/u")); !metadata.IsCompressedName(next.MetadataLocation()) || !strings.HasSuffix(next.MetadataLocation(), "-"+other.String()+".gz.metadata.json") {
			t.Errorf("%s is followed by %s", name, next.MetadataLocation())
		}
		again := must(t, base, `{"action":"set-properties","updates":{"write.metadata.compression-codec":"gzip"}}`)
		if !metadata.IsCompressedName(again.MetadataLocation()) {
			t.Errorf("%s is followed by %s", name, again.MetadataLocation())
		}
		plain := must(t, base, `{"action":"set-properties","updates":{"write.metadata.compression-codec":"none"}}`)
		if metadata.IsCompressedName(plain.MetadataLocation()) || !strings.HasSuffix(plain.MetadataLocation(), "-"+other.String()+".metadata.json") {
			t.Errorf("%s is followed by %s", name, plain.MetadataLocation())
		}
	}
}

// TestCase121_UpdatesApplyToTheBaseGiven: the same updates apply again to a newer
// base, and leave what happened between alone.
func TestCase121_UpdatesApplyToTheBaseGiven(t *testing.T) {
	reqs, updates, err := metadata.DecodeCommit([]byte(`{"updates":[` + list(
		`{"action":"add-schema","schema":{"type":"struct","schema-id":3,"fields":[{"id":9,"name":"new","type":"int","required":false}]}}`,
		`{"action":"set-current-schema","schema-id":-1}`, addSnapshot(8, 8, ""), setMain(8)) + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	base := grown(t)
	first, err := commit(base, reqs, updates, later, fresh)
	if err != nil {
		t.Fatal(err)
	}
	expired := must(t, base, list(`{"action":"add-schema","schema":{"type":"struct","fields":[]}}`, `{"action":"remove-snapshots","snapshot-ids":[1,3]}`))
	second, err := commit(expired, reqs, updates, later, fresh)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, first, map[string]string{"current-schema-id": "1", "snapshots/3/snapshot-id": "8"})
	expect(t, second, map[string]string{"current-schema-id": "2", "snapshots/1/snapshot-id": "8", "snapshots/2": "absent"})
	again, err := commit(base, reqs, updates, later, fresh)
	if err != nil || string(again.Bytes()) != string(first.Bytes()) || again.MetadataLocation() != first.MetadataLocation() {
		t.Errorf("the same commit yields another document: %v", err)
	}
	if first.UUID() == uuid.Nil || len(updates) != 4 || updates[0].Action() != "add-schema" {
		t.Errorf("updates %v of %s", updates, first.UUID())
	}
}
