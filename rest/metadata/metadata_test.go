package metadata_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"puddle/rest/metadata"
)

var (
	born    = time.UnixMilli(1_700_000_000_000)
	later   = born.Add(time.Second)
	tableID = uuid.MustParse("11111111-2222-4333-8444-555555555555")
	fresh   = uuid.MustParse("aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee")
	other   = uuid.MustParse("99999999-8888-4777-8666-555555555555")
)

const (
	columns = `{"type":"struct","fields":[
		{"id":1,"name":"id","type":"long","required":true},
		{"id":2,"name":"day","type":"date","required":false},
		{"id":3,"name":"point","type":{"type":"struct","fields":[{"id":4,"name":"x","type":"double","required":false}]},"required":false}]}`
	manifests = `"manifest-list":"s3://b/t/metadata/snap.avro","summary":{"operation":"append"}`
)

// newTable is a table with three columns, partitioned by nothing.
func newTable(t testing.TB) *metadata.Document {
	t.Helper()
	d, err := create(metadata.NewTable{
		UUID: tableID, Location: "s3://b/t", Schema: jsontext.Value(columns), Properties: map[string]string{"owner": "me"},
	}, born, fresh)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// try applies updates, written as the elements of a JSON array.
func try(base *metadata.Document, updates string) (*metadata.Document, error) {
	return tryAt(base, "", updates, later)
}

func tryAt(base *metadata.Document, requirements, updates string, at time.Time) (*metadata.Document, error) {
	body := `{"requirements":[` + requirements + `],"updates":[` + updates + `]}`
	reqs, ups, err := metadata.DecodeCommit([]byte(body))
	if err != nil {
		return nil, err
	}
	return commit(base, reqs, ups, at, other)
}

func must(t testing.TB, base *metadata.Document, updates string) *metadata.Document {
	t.Helper()
	d, err := try(base, updates)
	if err != nil {
		t.Fatalf("%s: %v", updates, err)
	}
	reparse(t, d)
	return d
}

// reparse checks that a document reads as what wrote it says it is.
func reparse(t testing.TB, d *metadata.Document) {
	t.Helper()
	again, err := metadata.Parse(d.Bytes(), d.MetadataLocation())
	if err != nil {
		t.Fatalf("written document does not load: %v\n%s", err, d.Bytes())
	}
	id, ok := d.CurrentSnapshotID()
	if againID, againOK := again.CurrentSnapshotID(); id != againID || ok != againOK {
		t.Fatalf("current snapshot %d %t reads back as %d %t", id, ok, againID, againOK)
	}
	if again.UUID() != d.UUID() || again.Location() != d.Location() || !again.LastUpdated().Equal(d.LastUpdated()) {
		t.Fatalf("document reads back differently:\n%s", d.Bytes())
	}
}

// at returns the compact text at a path such as snapshots/0/summary, or "absent".
func at(t testing.TB, document []byte, path string) string {
	t.Helper()
	v := jsontext.Value(document)
	for step := range strings.SplitSeq(path, "/") {
		if v.Kind() == '[' {
			var list []jsontext.Value
			if err := json.Unmarshal(v, &list); err != nil {
				t.Fatal(err)
			}
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(list) {
				return "absent"
			}
			v = list[i]
			continue
		}
		var members map[string]jsontext.Value
		if err := json.Unmarshal(v, &members); err != nil {
			t.Fatal(err)
		}
		var ok bool
		if v, ok = members[step]; !ok {
			return "absent"
		}
	}
	text := v.Clone()
	if err := text.Compact(); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func expect(t testing.TB, d *metadata.Document, want map[string]string) {
	t.Helper()
	for path, text := range want {
		if got := at(t, d.Bytes(), path); got != text {
			t.Errorf("%s is %s, want %s", path, got, text)
		}
	}
}

// kind names the kind of a refusal.
func kind(err error) string {
	var (
		failed   *metadata.RequirementFailed
		conflict *metadata.Conflict
		invalid  *metadata.Invalid
	)
	switch {
	case err == nil:
		return "none"
	case errors.As(err, &failed):
		return "requirement"
	case errors.As(err, &conflict):
		return "conflict"
	case errors.As(err, &invalid):
		return "invalid"
	}
	return "other"
}

// refuse checks the kind of a refusal and a part of its text.
func refuse(t testing.TB, err error, want, text string) {
	t.Helper()
	if got := kind(err); got != want {
		t.Fatalf("refused as %s (%v), want %s", got, err, want)
	}
	if err != nil && !strings.Contains(err.Error(), text) {
		t.Fatalf("refused with %q, want %q in it", err, text)
	}
}

func addSnapshot(id, sequence int64, more string) string {
	return fmt.Sprintf(`{"action":"add-snapshot","snapshot":{"snapshot-id":%d,"sequence-number":%d,"timestamp-ms":%d,%s%s}}`,
		id, sequence, born.UnixMilli()+sequence, manifests, more)
}

func setMain(id int64) string {
	return fmt.Sprintf(`{"action":"set-snapshot-ref","ref-name":"main","type":"branch","snapshot-id":%d}`, id)
}

func setBranch(name string, id int64) string {
	return fmt.Sprintf(`{"action":"set-snapshot-ref","ref-name":%q,"type":"branch","snapshot-id":%d}`, name, id)
}

func list(updates ...string) string { return strings.Join(updates, ",") }

// grown is a table with snapshots 1 and 2 on main and 3 on a branch.
func grown(t testing.TB) *metadata.Document {
	t.Helper()
	first := must(t, newTable(t), list(addSnapshot(1, 1, ""), setMain(1)))
	return must(t, first, list(addSnapshot(2, 2, `,"parent-snapshot-id":1`), addSnapshot(3, 3, `,"parent-snapshot-id":1`),
		setMain(2), setBranch("dev", 3)))
}

func itoa(n int) string { return strconv.Itoa(n) }
