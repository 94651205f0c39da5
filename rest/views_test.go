package rest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// viewBody is a request that creates a view.
func viewBody(name string) string {
	return fmt.Sprintf(`{"name":%q,"schema":%s,"view-version":%s,"properties":{}}`, name, schema, viewVersion("select 1"))
}

func viewVersion(sql string) string {
	return fmt.Sprintf(`{"version-id":1,"timestamp-ms":1790244001000,"schema-id":0,"summary":{},`+
		`"representations":[{"type":"sql","sql":%q,"dialect":"spark"}],"default-namespace":["n"]}`, sql)
}

// replaceBody is a commit that gives a view another query.
func replaceBody(sql string) string {
	return fmt.Sprintf(`{"updates":[{"action":"add-view-version","view-version":%s},{"action":"set-current-view-version","view-version-id":-1}]}`, viewVersion(sql))
}

func registerBody(name, location string) string {
	return fmt.Sprintf(`{"name":%q,"metadata-location":%q}`, name, location)
}

func (f *fixture) view(namespace, name string) answer {
	f.t.Helper()
	return f.must(200, f.do("POST", v1+"/namespaces/"+namespace+"/views", viewBody(name)))
}

// droppedView makes and drops a view and answers where its file is.
func (f *fixture) droppedView(namespace string) string {
	f.t.Helper()
	var l loadedTable
	f.view(namespace, "dropped").into(f.t, &l)
	f.must(204, f.do("DELETE", v1+"/namespaces/"+namespace+"/views/dropped", ""))
	return *l.Location
}

// Case 100: the keys of every answer about views, and nothing more.
func TestCase100_KeysOfViews(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	for _, c := range []struct{ method, path, body, keys string }{
		{"GET", "/namespaces/n/views", "", "identifiers"},
		{"POST", "/namespaces/n/views", viewBody("v"), "config metadata metadata-location"},
		{"GET", "/namespaces/n/views", "", "identifiers"},
		{"GET", "/namespaces/n/views/v", "", "config metadata metadata-location"},
		{"POST", "/namespaces/n/views/v", replaceBody("select 2"), "config metadata metadata-location"},
		{"POST", "/namespaces/n/register-view", registerBody("w", f.droppedView("n")), "config metadata metadata-location"},
	} {
		a := f.must(200, f.do(c.method, v1+c.path, c.body))
		equal(t, c.method+" "+c.path, keysOf(t, a), c.keys)
	}
}

// keysOf lists the members of an answer that are not null, in order.
func keysOf(t *testing.T, a answer) (keys string) {
	t.Helper()
	var members map[string]json.RawMessage
	a.into(t, &members)
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if string(members[key]) == "null" {
			t.Errorf("%s is null", key)
		}
		keys = strings.TrimSpace(keys + " " + key)
	}
	return keys
}

// Case 97: over REST, no route takes a name of the other kind, and no route of
// one kind finds the other.
func TestCase97_NamesOverREST(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	staged, dropped := createCommit(t, f, "n", "v"), f.droppedView("n")
	f.view("n", "v")
	rename := func(from, to string) string {
		return fmt.Sprintf(`{"source":{"namespace":["n"],"name":%q},"destination":{"namespace":["n"],"name":%q}}`, from, to)
	}
	for _, c := range []struct{ method, path, body, kind, text string }{
		{"POST", "/namespaces/n/views", viewBody("t"), "AlreadyExistsException", "Table with same name already exists: n.t"},
		{"POST", "/namespaces/n/views", viewBody("v"), "AlreadyExistsException", "View already exists: n.v"},
		{"POST", "/namespaces/n/tables", `{"name":"v","schema":` + schema + `}`, "AlreadyExistsException", "View with same name already exists: n.v"},
		{"POST", "/namespaces/n/tables", `{"name":"v","stage-create":true,"schema":` + schema + `}`, "AlreadyExistsException", "View with same name already exists: n.v"},
		{"POST", "/namespaces/n/tables/v", staged, "AlreadyExistsException", "View with same name already exists: n.v"},
		{"POST", "/namespaces/n/register-view", registerBody("t", dropped), "AlreadyExistsException", "Table with same name already exists: n.t"},
		{"POST", "/namespaces/n/register-view", registerBody("v", dropped), "AlreadyExistsException", "View already exists: n.v"},
		{"POST", "/tables/rename", rename("t", "v"), "AlreadyExistsException", "Cannot rename n.t to n.v. View already exists"},
		{"POST", "/views/rename", rename("v", "t"), "AlreadyExistsException", "Cannot rename n.v to n.t. Table already exists"},
	} {
		equal(t, c.path+c.body, f.fails(f.do(c.method, v1+c.path, c.body), 409, c.kind), c.text)
	}
	for _, c := range []struct{ method, path, body, kind string }{
		{"GET", "/namespaces/n/views/t", "", "NoSuchViewException"},
		{"DELETE", "/namespaces/n/views/t", "", "NoSuchViewException"},
		{"POST", "/namespaces/n/views/t", replaceBody("select 2"), "NoSuchViewException"},
		{"POST", "/views/rename", rename("t", "x"), "NoSuchViewException"},
		{"GET", "/namespaces/n/tables/v", "", "NoSuchTableException"},
		{"DELETE", "/namespaces/n/tables/v", "", "NoSuchTableException"},
		{"POST", "/tables/rename", rename("v", "x"), "NoSuchTableException"},
	} {
		f.fails(f.do(c.method, v1+c.path, c.body), 404, c.kind)
	}
	f.must(404, f.do("HEAD", v1+"/namespaces/n/views/t", ""))
	f.must(404, f.do("HEAD", v1+"/namespaces/n/tables/v", ""))
}

// Case 94: a view alone keeps its namespace.
func TestCase94_NamespaceOfAView(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.view("n", "v")
	f.fails(f.do("DELETE", v1+"/namespaces/n", ""), 409, "NamespaceNotEmptyException")
	f.must(204, f.do("DELETE", v1+"/namespaces/n/views/v", ""))
	f.must(204, f.do("DELETE", v1+"/namespaces/n", ""))
}

// Case 43: a view whose file is gone is there, cannot be loaded or replaced, and
// can be renamed and dropped.
func TestCase43_FileOfAViewIsGone(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	var l loadedTable
	f.view("n", "v").into(t, &l)
	if err := f.stores["default"].Delete(t.Context(), strings.TrimPrefix(*l.Location, root("default")+"/")); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"GET", "POST"} {
		message := f.fails(f.do(method, v1+"/namespaces/n/views/v", replaceBody("select 2")), 404, "NotFoundException")
		equal(t, method, message, "Failed to open input stream for file: "+*l.Location)
	}
	f.must(204, f.do("HEAD", v1+"/namespaces/n/views/v", ""))
	f.fails(f.do("POST", v1+"/namespaces/n/views", viewBody("v")), 409, "AlreadyExistsException")
	f.must(204, f.do("POST", v1+"/views/rename", `{"source":{"namespace":["n"],"name":"v"},"destination":{"namespace":["n"],"name":"w"}}`))
	f.must(204, f.do("DELETE", v1+"/namespaces/n/views/w", ""))
}

// Case 90: HEAD of views has no body and names what is there.
func TestCase90_HeadOfViews(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.view("n", "v")
	for path, status := range map[string]int{
		"/namespaces/n/views/v": 204, "/namespaces/n/views/x": 404, "/namespaces/x/views/v": 404, "/namespaces/n/views/..": 404,
		"/namespaces/n/views": 405, "/views/rename": 405,
	} {
		a := f.must(status, f.do("HEAD", v1+path, ""))
		if len(a.body) != 0 {
			t.Errorf("HEAD %s: %q", path, a.body)
		}
	}
}

// Case 29: bodies about views are read strictly; case 92: what a commit asks for
// is done or refused, never skipped.
func TestCase29_ViewBodies(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.view("n", "v")
	version := viewVersion("select 1")
	for _, body := range []string{
		`{"name":"w","name":"x","schema":` + schema + `,"view-version":` + version + `}`,
		`{"name":"w","schema":` + schema + `,"View-Version":` + version + `}`,
		`{"name":"w","schema":` + schema + `}`,
		`{"name":"w","view-version":` + version + `}`,
		`{"schema":` + schema + `,"view-version":` + version + `}`,
		`{"name":"w","schema":` + schema + `,"view-version":null}`,
		`{"name":"w","schema":` + schema + `,"view-version":[]}`,
		`{"name":"w","schema":` + schema + `,"view-version":` + version + `,"properties":{"a":1}}`,
		`{"name":"w","schema":` + schema + `,"view-version":` + version + `,"location":1}`,
		`{"name":".","schema":` + schema + `,"view-version":` + version + `}`,
		`{"name":"w","schema":` + schema + `,"view-version":` + version + `,"location":"s3://elsewhere/w"}`,
		`{"name":"w","schema":` + schema + `,"view-version":` + version + `,"properties":{"write.metadata.path":"` + root("default") + `"}}`,
	} {
		f.fails(f.do("POST", v1+"/namespaces/n/views", body), 400, "BadRequestException")
	}
	for _, body := range []string{
		`{"name":"w"}`, `{"metadata-location":"x"}`, `{"name":"w","metadata-location":1}`,
		`{"name":"w","Metadata-Location":"x"}`, registerBody("w", "s3://elsewhere/v1.metadata.json"),
	} {
		f.fails(f.do("POST", v1+"/namespaces/n/register-view", body), 400, "BadRequestException")
	}
	f.fails(f.do("POST", v1+"/namespaces/n/register-view", registerBody("w", root("default")+"/v1.metadata.json")), 404, "NotFoundException")
	f.fails(f.do("POST", v1+"/namespaces/x/register-view", registerBody("w", root("default")+"/v1.metadata.json")), 404, "NoSuchNamespaceException")
	for _, body := range []string{
		`{"updates":[{"action":"add-snapshot","snapshot":{}}]}`,
		`{"updates":[{"action":"unheard-of"}]}`,
		`{"requirements":[{"type":"assert-create"}],"updates":[]}`,
		`{"requirements":[]}`,
		`{"updates":[{"action":"set-current-view-version","view-version-id":7}]}`,
	} {
		f.fails(f.do("POST", v1+"/namespaces/n/views/v", body), 400, "BadRequestException")
	}
	f.must(200, f.do("POST", v1+"/namespaces/n/views/v", `{"updates":[]}`))
}

// A dialect twice is told by the word that clients look for (rck §1.1), on create
// and on commit.
func TestDialectTwice(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.view("n", "v")
	twice := strings.Replace(viewVersion("select 1"), "[{", `[{"type":"sql","sql":"select 2","dialect":"SPARK"},{`, 1)
	for path, body := range map[string]string{
		"/namespaces/n/views":   `{"name":"w","schema":` + schema + `,"view-version":` + twice + `}`,
		"/namespaces/n/views/v": `{"updates":[{"action":"add-view-version","view-version":` + twice + `}]}`,
	} {
		message := f.fails(f.do("POST", v1+path, body), 400, "IllegalArgumentException")
		equal(t, path, message, "Invalid view version: Cannot add multiple queries for dialect spark")
	}
}

// Case 80: spaces and pluses in names of views, as in those of tables.
func TestCase80_NamesOfViews(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.view("n", "a b")
	f.must(204, f.do("HEAD", v1+"/namespaces/n/views/a+b", ""))
	f.view("n", "a+b")
	var l loadedTable
	f.must(200, f.do("GET", v1+"/namespaces/n/views/a+b", "", "X-Client-Version: Apache Iceberg 1.9.1")).into(t, &l)
	f.must(204, f.do("DELETE", v1+"/namespaces/n/views/a%2Bb", ""))
	f.must(204, f.do("HEAD", v1+"/namespaces/n/views/a%20b", ""))
}

// Case 87: views are listed by page, apart from tables, and their tokens are of no
// other listing.
func TestCase87_PagesOfViews(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	for i := range 5 {
		f.view("n", fmt.Sprint("v", i))
	}
	var names []string
	for token, pages := "", 0; ; pages++ {
		var page struct {
			Identifiers []struct{ Name string }
			Next        string `json:"next-page-token"`
		}
		f.must(200, f.do("GET", v1+"/namespaces/n/views?pageSize=2&pageToken="+token, "")).into(t, &page)
		for _, id := range page.Identifiers {
			names = append(names, id.Name)
		}
		if token = page.Next; token == "" {
			equal(t, "pages", pages, 2)
			break
		}
		f.fails(f.do("GET", v1+"/namespaces/n/tables?pageSize=2&pageToken="+token, ""), 400, "BadRequestException")
	}
	equal(t, "views", names, []string{"v0", "v1", "v2", "v3", "v4"})
}
