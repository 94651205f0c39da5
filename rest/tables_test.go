package rest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// loadedTable is what tests read of a LoadTableResult.
type loadedTable struct {
	Location *string `json:"metadata-location"`
	Metadata struct {
		UUID     string `json:"table-uuid"`
		Location string `json:"location"`
		Props    map[string]string
	}
	Config *map[string]string
}

func tableUUID(t *testing.T, a answer) string {
	t.Helper()
	var l loadedTable
	a.into(t, &l)
	return l.Metadata.UUID
}

func (f *fixture) tableNames(namespace string) (names []string) {
	f.t.Helper()
	var list struct {
		Identifiers []struct {
			Namespace []string
			Name      string
		}
	}
	f.must(200, f.do("GET", v1+"/namespaces/"+namespace+"/tables", "")).into(f.t, &list)
	for _, id := range list.Identifiers {
		names = append(names, id.Name)
	}
	return names
}

// createCommit stages a create and answers the body that commits it.
func createCommit(t *testing.T, f *fixture, namespace, name string) string {
	t.Helper()
	var staged loadedTable
	f.must(200, f.do("POST", v1+"/namespaces/"+namespace+"/tables",
		fmt.Sprintf(`{"name":%q,"schema":%s,"stage-create":true}`, name, schema))).into(t, &staged)
	if staged.Location != nil {
		t.Errorf("a staged table has the metadata location %q", *staged.Location)
	}
	return fmt.Sprintf(`{"requirements":[{"type":"assert-create"}],"updates":[
		{"action":"assign-uuid","uuid":%q},{"action":"upgrade-format-version","format-version":2},
		{"action":"add-schema","schema":%s},{"action":"set-current-schema","schema-id":-1},
		{"action":"add-spec","spec":{"spec-id":0,"fields":[]}},{"action":"set-default-spec","spec-id":-1},
		{"action":"add-sort-order","sort-order":{"order-id":0,"fields":[]}},{"action":"set-default-sort-order","sort-order-id":-1},
		{"action":"set-location","location":%q},{"action":"set-properties","updates":{}}]}`,
		staged.Metadata.UUID, schema, staged.Metadata.Location)
}

// Cases 100 and 109: a staged create keeps nothing and has no metadata location;
// its commit makes the table with the uuid that was staged.
func TestCase100_StagedCreate(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	commit := createCommit(t, f, "n", "t")
	if names := f.tableNames("n"); len(names) != 0 {
		t.Errorf("staging made %q", names)
	}
	a := f.must(200, f.do("POST", v1+"/namespaces/n/tables/t", commit))
	if uuid := tableUUID(t, a); !strings.Contains(commit, uuid) {
		t.Errorf("the uuid %s was not the staged one", uuid)
	}
	f.fails(f.do("POST", v1+"/namespaces/n/tables/t", commit), 409, "CommitFailedException")
}

// Case 100: the keys of every answer, and nothing more.
func TestCase100_KeysOfAnswers(t *testing.T) {
	f := serve(t, nil)
	for _, c := range []struct{ method, path, body, keys string }{
		{"POST", "/namespaces", `{"namespace":["n"],"properties":{"a":"b"}}`, "namespace properties"},
		{"GET", "/namespaces", "", "namespaces"},
		{"GET", "/namespaces/n", "", "namespace properties"},
		{"POST", "/namespaces/n/properties", `{"removals":["x"],"updates":{"y":"z"}}`, "updated removed missing"},
		{"POST", "/namespaces/n/tables", `{"name":"t","schema":` + schema + `}`, "metadata-location metadata config"},
		{"POST", "/namespaces/n/tables", `{"name":"u","schema":` + schema + `,"stage-create":true}`, "metadata config"},
		{"GET", "/namespaces/n/tables", "", "identifiers"},
		{"GET", "/namespaces/n/tables/t", "", "metadata-location metadata config"},
		{"POST", "/namespaces/n/tables/t", `{"requirements":[],"updates":[{"action":"set-properties","updates":{"k":"v"}}]}`, "metadata-location metadata"},
	} {
		a := f.must(200, f.do(c.method, v1+c.path, c.body))
		var got map[string]json.RawMessage
		a.into(t, &got)
		for _, key := range strings.Fields(c.keys) {
			if value, there := got[key]; !there || string(value) == "null" {
				t.Errorf("%s %s: %q is missing: %s", c.method, c.path, key, a.body)
			}
			delete(got, key)
		}
		for key := range got {
			t.Errorf("%s %s: unexpected %q", c.method, c.path, key)
		}
		if fmt.Sprint(len(a.body)) != a.Header.Get("Content-Length") {
			t.Errorf("%s %s: Content-Length %q", c.method, c.path, a.Header.Get("Content-Length"))
		}
	}
}

// Case 92: what a commit asks for is done or refused, never skipped.
func TestCase92_UnknownParts(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	before := f.table("n", "t").body
	const path = v1 + "/namespaces/n/tables/t"
	for _, body := range []string{
		`{"requirements":[],"updates":[{"action":"frobnicate"}]}`,
		`{"requirements":[{"type":"assert-moon"}],"updates":[]}`,
		`{"requirements":[],"updates":[{"action":"set-properties","updates":{"a":"b"}},{"action":"frobnicate"}]}`,
		`{"requirements":[],"updates":{}}`,
		``, `[]`, `null`, `{`,
	} {
		f.fails(f.do("POST", path, body), 400, "BadRequestException")
	}
	if after := f.do("GET", path, "").body; string(after) != string(before) {
		t.Errorf("a refused commit changed the table: %s", after)
	}
	head := f.events("")[0].Seq
	for _, body := range []string{`{"requirements":[],"updates":[]}`, `{"updates":[]}`} {
		f.must(200, f.do("POST", path, body))
	}
	if now := f.events("")[0].Seq; now != head {
		t.Errorf("a commit without effect is event %d", now)
	}
	f.must(200, f.do("POST", path, `{"updates":[{"action":"set-properties","updates":{"a":"b"},"extra":1}],"more":2}`))
}

// Case 98, and what of case 97 there is: renames say what is missing or taken.
func TestCase98_Rename(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.ns("m")
	f.table("n", "a")
	f.table("n", "b")
	rename := func(from, to string) answer {
		side := func(s string) string {
			namespace, name, _ := strings.Cut(s, ".")
			return fmt.Sprintf(`{"namespace":[%q],"name":%q}`, namespace, name)
		}
		return f.do("POST", v1+"/tables/rename", fmt.Sprintf(`{"source":%s,"destination":%s}`, side(from), side(to)))
	}
	f.fails(rename("n.x", "n.y"), 404, "NoSuchTableException")
	f.fails(rename("q.x", "n.y"), 404, "NoSuchTableException")
	f.fails(rename("n.a", "q.y"), 404, "NoSuchNamespaceException")
	f.fails(rename("n.a", "n.b"), 409, "AlreadyExistsException")
	f.fails(rename("n.a", "n.a"), 409, "AlreadyExistsException")
	f.fails(rename("n.a", "n.."), 400, "BadRequestException")
	f.must(204, rename("n.a", "m.c"))
	f.must(404, f.do("HEAD", v1+"/namespaces/n/tables/a", ""))
	f.must(204, f.do("HEAD", v1+"/namespaces/m/tables/c", ""))
	commit := `{"requirements":[],"updates":[{"action":"set-properties","updates":{"k":"v"}}]}`
	f.fails(f.do("POST", v1+"/namespaces/n/tables/a", commit), 404, "NoSuchTableException")
	for _, body := range []string{`{}`, `{"source":{"namespace":["n"],"name":"b"}}`, `{"source":"n.b","destination":"n.c"}`,
		`{"source":{"namespace":["n"]},"destination":{"namespace":["n"],"name":"x"}}`, `{"source":{"namespace":"n","name":"b"},"destination":{"namespace":["n"],"name":"x"}}`} {
		f.fails(f.do("POST", v1+"/tables/rename", body), 400, "BadRequestException")
	}
}

// Case 107: a purge is never guessed.
func TestCase107_PurgeRequested(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	for _, query := range []string{"", "?purgeRequested=false", "?purgeRequested=FALSE", "?purgeRequested=False"} {
		f.table("n", "t")
		f.must(204, f.do("DELETE", v1+"/namespaces/n/tables/t"+query, ""))
	}
	f.table("n", "t")
	for _, query := range []string{"?purgeRequested=0", "?purgeRequested=", "?purgeRequested", "?purgeRequested=yes",
		"?purgeRequested=true&purgeRequested=false", "?purgeRequested=false&purgeRequested=false", "?purgeRequested=%zz"} {
		f.fails(f.do("DELETE", v1+"/namespaces/n/tables/t"+query, ""), 400, "BadRequestException")
	}
	f.must(204, f.do("HEAD", v1+"/namespaces/n/tables/t", ""))
	for _, query := range []string{"?purgeRequested=true", "?purgeRequested=True"} {
		f.must(204, f.do("DELETE", v1+"/namespaces/n/tables/t"+query, ""))
		f.table("n", "t")
	}
}

// What is missing is worded for the client that asks: a load never says that the
// namespace is missing, or metadata tables are not found (rck §1).
func TestMissingTables(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	for _, path := range []string{"/namespaces/n/tables/t", "/namespaces/no/tables/t", "/namespaces/n%1Ft/tables/files"} {
		message := f.fails(f.do("GET", v1+path, ""), 404, "NoSuchTableException")
		if !strings.HasPrefix(message, "Table does not exist: ") {
			t.Errorf("%s: %s", path, message)
		}
		f.fails(f.do("DELETE", v1+path, ""), 404, "NoSuchTableException")
		f.fails(f.do("POST", v1+path, `{"requirements":[],"updates":[]}`), 404, "NoSuchTableException")
	}
	create := `{"name":"t","schema":` + schema + `}`
	f.fails(f.do("POST", v1+"/namespaces/no/tables", create), 404, "NoSuchNamespaceException")
	f.fails(f.do("GET", v1+"/namespaces/no/tables", ""), 404, "NoSuchNamespaceException")
	f.table("n", "t")
	message := f.fails(f.do("POST", v1+"/namespaces/n/tables", create), 409, "AlreadyExistsException")
	if message != "Table already exists: n.t" {
		t.Errorf("%s", message)
	}
}

// snapshotIDs are the snapshots in a loaded table's metadata.
func (f *fixture) snapshotIDs(query string) (ids []int64) {
	f.t.Helper()
	var l struct {
		Metadata struct {
			Snapshots []struct {
				ID int64 `json:"snapshot-id"`
			}
		}
	}
	f.must(200, f.do("GET", v1+"/namespaces/n/tables/t"+query, "")).into(f.t, &l)
	for _, s := range l.Metadata.Snapshots {
		ids = append(ids, s.ID)
	}
	return ids
}

func TestSnapshotsParameter(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	snapshot := func(id int) string {
		return fmt.Sprintf(`{"action":"add-snapshot","snapshot":{"snapshot-id":%d,"sequence-number":%d,"timestamp-ms":1,
			"manifest-list":"file:///w/m%d.avro","summary":{"operation":"append"}}}`, id, id, id)
	}
	f.must(200, f.do("POST", v1+"/namespaces/n/tables/t", `{"updates":[`+snapshot(1)+","+snapshot(2)+
		`,{"action":"set-snapshot-ref","ref-name":"main","type":"branch","snapshot-id":2}]}`))
	for query, want := range map[string][]int64{"": {1, 2}, "?snapshots=all": {1, 2}, "?snapshots=refs": {2}} {
		if got := f.snapshotIDs(query); !slices.Equal(got, want) {
			t.Errorf("%q answers the snapshots %v, want %v", query, got, want)
		}
	}
	f.fails(f.do("GET", v1+"/namespaces/n/tables/t?snapshots=some", ""), 400, "BadRequestException")
}
