package metadata_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"puddle/rest/metadata"
)

const viewColumns = `{"type":"struct","schema-id":7,"fields":[{"id":0,"name":"v","type":"int","required":false,"x-tag":1.50}]}`

// viewVersion is the text of a version with one query for each dialect.
func viewVersion(id, schema int, sql string, dialects ...string) string {
	queries := make([]string, len(dialects))
	for i, dialect := range dialects {
		queries[i] = fmt.Sprintf(`{"type":"sql","sql":%q,"dialect":%q}`, sql, dialect)
	}
	return viewVersionOf(id, schema, list(queries...))
}

func viewVersionOf(id, schema int, representations string) string {
	return fmt.Sprintf(`{"version-id":%d,"timestamp-ms":%d,"schema-id":%d,"summary":{"engine-name":"e"},"default-namespace":["n"],"representations":[%s]}`,
		id, born.UnixMilli()+int64(id), schema, representations)
}

// addVersion adds a version and makes it the current one.
func addVersion(version string) string {
	return `{"action":"add-view-version","view-version":` + version + `},` + setVersion(-1)
}

func setVersion(id int) string {
	return fmt.Sprintf(`{"action":"set-current-view-version","view-version-id":%d}`, id)
}

// replacement is the updates of a replacement: the n-th query for Spark.
func replacement(n int) string {
	return addVersion(viewVersion(n, 0, fmt.Sprintf("SELECT %d", n), "spark"))
}

func newView(t testing.TB) *metadata.View {
	t.Helper()
	v, err := createView(viewVersion(1, 0, "SELECT 1", "spark"))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func createView(version string) (*metadata.View, error) {
	return makeView(metadata.NewView{
		UUID: tableID, Location: "s3://b/v/", Schema: jsontext.Value(viewColumns), Version: jsontext.Value(version),
		Properties: map[string]string{"owner": "me", "comment": "it"},
	}, born, fresh)
}

func tryView(base *metadata.View, updates string) (*metadata.View, error) {
	return tryViewAt(base, "", updates, later)
}

func tryViewAt(base *metadata.View, requirements, updates string, at time.Time) (*metadata.View, error) {
	body := `{"identifier":{"namespace":["n"],"name":"v"},"requirements":[` + requirements + `],"updates":[` + updates + `]}`
	reqs, ups, err := metadata.DecodeViewCommit([]byte(body))
	if err != nil {
		return nil, err
	}
	return commitView(base, reqs, ups, at, other)
}

func mustView(t testing.TB, base *metadata.View, updates string) *metadata.View {
	t.Helper()
	v, err := tryView(base, updates)
	if err != nil {
		t.Fatalf("%s: %v", updates, err)
	}
	reparseView(t, v)
	return v
}

func reparseView(t testing.TB, v *metadata.View) {
	t.Helper()
	again, err := metadata.ParseView(v.Bytes(), v.MetadataLocation())
	if err != nil {
		t.Fatalf("written view does not load: %v\n%s", err, v.Bytes())
	}
	if again.UUID() != v.UUID() || again.Location() != v.Location() || again.MetadataFolder() != v.MetadataFolder() || again.FormatVersion() != 1 {
		t.Fatalf("view reads back differently:\n%s", v.Bytes())
	}
}

func expectView(t testing.TB, v *metadata.View, want map[string]string) {
	t.Helper()
	for path, text := range want {
		if got := at(t, v.Bytes(), path); got != text {
			t.Errorf("%s is %s, want %s", path, got, text)
		}
	}
}

// versionIDs lists the ids in a list of the view, such as its log.
func versionIDs(t testing.TB, v *metadata.View, member string) string {
	t.Helper()
	var ids []string
	for i := 0; ; i++ {
		id := at(t, v.Bytes(), fmt.Sprintf("%s/%d", member, i))
		if id == "absent" {
			return strings.Join(ids, " ")
		}
		ids = append(ids, at(t, v.Bytes(), fmt.Sprintf("%s/%d/version-id", member, i)))
	}
}

func TestCreateViewWritesWholeFile(t *testing.T) {
	v, err := createView(viewVersionOf(9, 4, `{"type":"sql","sql":"SELECT 1","dialect":"Spark"},{"type":"dataframe","x":1e3}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"view-uuid":"11111111-2222-4333-8444-555555555555","format-version":1,"location":"s3://b/v",` +
		`"properties":{"comment":"it","owner":"me"},` +
		`"schemas":[{"type":"struct","schema-id":0,"fields":[{"id":0,"name":"v","type":"int","required":false,"x-tag":1.50}]}],` +
		`"current-version-id":1,"versions":[{"version-id":1,"timestamp-ms":1700000000009,"schema-id":0,"summary":{"engine-name":"e"},` +
		`"default-namespace":["n"],"representations":[{"type":"sql","sql":"SELECT 1","dialect":"Spark"},{"type":"dataframe","x":1e3}]}],` +
		`"version-log":[{"timestamp-ms":1700000000009,"version-id":1}]}`
	if diff := cmp.Diff(want, string(v.Bytes())); diff != "" {
		t.Error(diff)
	}
	if got, want := v.MetadataLocation(), "s3://b/v/metadata/00000-"+fresh.String()+".metadata.json"; got != want {
		t.Errorf("metadata location %s, want %s", got, want)
	}
	if comment, ok := v.Property("comment"); !ok || comment != "it" || v.UUID() != tableID || v.Location() != "s3://b/v" || v.FormatVersion() != 1 {
		t.Errorf("view of %s at %s says %q", v.UUID(), v.Location(), comment)
	}
	reparseView(t, v)
}

func TestCreateViewWithoutProperties(t *testing.T) {
	v, err := makeView(metadata.NewView{
		UUID: tableID, Location: "s3://b/v", Schema: jsontext.Value(viewColumns), Version: jsontext.Value(viewVersion(1, -1, "SELECT 1", "spark")),
	}, born, fresh)
	if err != nil {
		t.Fatal(err)
	}
	expectView(t, v, map[string]string{"properties": "absent"})
	reparseView(t, v)
}

func TestCreateViewUnderMetadataPath(t *testing.T) {
	v, err := makeView(metadata.NewView{
		UUID: tableID, Location: "s3://b/v", Schema: jsontext.Value(viewColumns), Version: jsontext.Value(viewVersion(1, 0, "SELECT 1", "spark")),
		Properties: map[string]string{"write.metadata.path": "s3://m/v/"},
	}, born, fresh)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := v.MetadataLocation(), "s3://m/v/00000-"+fresh.String()+".metadata.json"; got != want {
		t.Errorf("metadata location %s, want %s", got, want)
	}
	v = mustView(t, v, `{"action":"remove-properties","removals":["write.metadata.path"]}`)
	if got, want := v.MetadataLocation(), "s3://b/v/metadata/00001-"+other.String()+".metadata.json"; got != want {
		t.Errorf("next metadata location %s, want %s", got, want)
	}
}

// Case 1: a view that asks for gzip is named so, from the version on that asks,
// until one asks for none or no longer asks.
func TestCase1_CompressedNamesOfViews(t *testing.T) {
	set := func(codec string) string {
		return `{"action":"set-properties","updates":{"write.metadata.compression-codec":"` + codec + `"}}`
	}
	v := newView(t)
	for i, step := range []struct {
		updates    string
		compressed bool
	}{
		{replacement(2), false}, {set("GZip"), true}, {replacement(3), true}, {set("none"), false}, {set("gzip"), true},
		{`{"action":"remove-properties","removals":["write.metadata.compression-codec"]}`, false},
	} {
		v = mustView(t, v, step.updates)
		want := fmt.Sprintf("s3://b/v/metadata/%05d-%s.metadata.json", i+1, other)
		if step.compressed {
			want = strings.Replace(want, ".metadata.json", ".gz.metadata.json", 1)
		}
		if v.MetadataLocation() != want || metadata.IsCompressedName(v.MetadataLocation()) != step.compressed {
			t.Errorf("after %s: %s, want %s", step.updates, v.MetadataLocation(), want)
		}
	}
	made, err := makeView(metadata.NewView{
		UUID: tableID, Location: "s3://b/v", Schema: jsontext.Value(viewColumns), Version: jsontext.Value(viewVersion(1, 0, "S", "spark")),
		Properties: map[string]string{"write.metadata.compression-codec": "gzip"},
	}, born, fresh)
	if err != nil || made.MetadataLocation() != "s3://b/v/metadata/00000-"+fresh.String()+".gz.metadata.json" {
		t.Errorf("created at %v, %v", made, err)
	}
}

func TestCreateViewRefused(t *testing.T) {
	good := metadata.NewView{UUID: tableID, Location: "s3://b/v", Schema: jsontext.Value(viewColumns), Version: jsontext.Value(viewVersion(1, 0, "S", "spark"))}
	tests := []struct {
		name, text string
		change     func(*metadata.NewView)
	}{
		{"no uuid", "UUID", func(v *metadata.NewView) { v.UUID = [16]byte{} }},
		{"no location", "location", func(v *metadata.NewView) { v.Location = "" }},
		{"only slashes", "empty location", func(v *metadata.NewView) { v.Location = "//" }},
		{"location not UTF-8", "location", func(v *metadata.NewView) { v.Location = "s3://\xff" }},
		{"no schema", "invalid schema", func(v *metadata.NewView) { v.Schema = nil }},
		{"wrong schema", "missing fields", func(v *metadata.NewView) { v.Schema = jsontext.Value(`{"type":"struct"}`) }},
		{"duplicate name", "duplicate", func(v *metadata.NewView) { v.Schema = jsontext.Value(`{"type":"struct","type":"struct","fields":[]}`) }},
		{"no version", "invalid view version", func(v *metadata.NewView) { v.Version = nil }},
		{"text after version", "text after", func(v *metadata.NewView) { v.Version = append(v.Version.Clone(), '1') }},
		{"wrong version", "missing version-id", func(v *metadata.NewView) { v.Version = jsontext.Value(`{}`) }},
		{"nothing to run", "no representations", func(v *metadata.NewView) { v.Version = jsontext.Value(viewVersion(1, 0, "")) }},
		{"property not UTF-8", "UTF-8", func(v *metadata.NewView) { v.Properties = map[string]string{"a": "\xff"} }},
		{"history of nothing", "positive", func(v *metadata.NewView) {
			v.Properties = map[string]string{"version.history.num-entries": "0"}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			view := good
			test.change(&view)
			_, err := makeView(view, born, fresh)
			refuse(t, err, "invalid", test.text)
		})
	}
}
