package rest

import (
	"fmt"
	"strings"
	"testing"
)

// droppedTable makes and drops a table and answers where its file is.
func (f *fixture) droppedTable(namespace string) string {
	f.t.Helper()
	var l loadedTable
	f.table(namespace, "dropped").into(f.t, &l)
	f.must(204, f.do("DELETE", v1+"/namespaces/"+namespace+"/tables/dropped", ""))
	return *l.Location
}

const registerPath = v1 + "/namespaces/n/register"

// What is registered is the file as it is, under its tag.
func TestRegisterTable(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	first := f.table("n", "t")
	var l loadedTable
	first.into(t, &l)
	f.must(204, f.do("DELETE", tablePath, ""))
	a := f.must(200, f.do("POST", registerPath, registerBody("u", *l.Location)))
	equal(t, "answer", string(a.body), string(first.body))
	equal(t, "tag", f.tagged(a), first.tag())
	load := f.do("GET", v1+"/namespaces/n/tables/u", "")
	equal(t, "load", string(load.body), string(first.body))
	f.must(304, f.do("GET", v1+"/namespaces/n/tables/u", "", "If-None-Match: "+a.tag()))

	var newer loadedTable
	f.must(200, f.do("POST", v1+"/namespaces/n/tables/u", setProperty("a", "b"))).into(t, &newer)
	f.fails(f.do("POST", registerPath, registerBody("u", *newer.Location)), 409, "AlreadyExistsException")
	overwrite := func(location string) answer {
		return f.do("POST", registerPath, fmt.Sprintf(`{"name":"u","metadata-location":%q,"overwrite":true}`, location))
	}
	f.must(200, overwrite(*newer.Location))
	f.fails(overwrite(*l.Location), 409, "AlreadyExistsException")
	equal(t, "property", f.property("u", "a"), "b")
}

func TestRegisterIsRefused(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	file := f.droppedTable("n")
	f.view("n", "v")
	f.table("n", "t")
	f.fails(f.do("POST", registerPath, registerBody("t", file)), 409, "AlreadyExistsException")
	message := f.fails(f.do("POST", registerPath, registerBody("v", file)), 409, "AlreadyExistsException")
	equal(t, "a view has the name", message, "View with same name already exists: n.v")
	f.fails(f.do("POST", registerPath, strings.Replace(registerBody("v", file), "}", `,"overwrite":true}`, 1)), 409, "AlreadyExistsException")
	f.fails(f.do("POST", registerPath, registerBody("x", root("default")+"/t/metadata/v1.metadata.json")), 404, "NotFoundException")
	f.fails(f.do("POST", v1+"/namespaces/no/register", registerBody("x", file)), 404, "NoSuchNamespaceException")
	for _, body := range []string{``, `{}`, `{"name":"x"}`, `{"metadata-location":"x"}`, `{"name":"..","metadata-location":"x"}`,
		registerBody("x", "s3://elsewhere/v1.metadata.json"), strings.Replace(registerBody("x", file), "}", `,"overwrite":"yes"}`, 1)} {
		f.fails(f.do("POST", registerPath, body), 400, "BadRequestException")
	}
	f.fails(f.do("POST", v1+"/namespaces/n/register-view", strings.Replace(registerBody("x", file), "}", `,"overwrite":true}`, 1)), 400, "BadRequestException")
	f.must(404, f.do("HEAD", v1+"/namespaces/n/tables/x", ""))
}

// A table is handed over whole: the answer is its last version, and after it
// there is none.
func TestUnregisterTable(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	last := f.must(200, f.do("POST", tablePath, setProperty("a", "b")))
	a := f.must(200, f.do("POST", tablePath+"/unregister", ""))
	equal(t, "answer", string(a.body), string(last.body))
	equal(t, "tag", a.tag(), "")
	f.fails(f.do("GET", tablePath, "", "If-None-Match: "+last.tag()), 404, "NoSuchTableException")
	f.fails(f.do("POST", tablePath, setProperty("a", "c")), 404, "NoSuchTableException")
	f.fails(f.do("POST", tablePath+"/unregister", ""), 404, "NoSuchTableException")
}

// old puts a metadata file of format version 1 without a uuid into storage, and
// answers where it is.
func (f *fixture) old(name, members string) string {
	f.t.Helper()
	location := root("default") + "/old"
	file := `{"format-version":1,"location":"` + location + `","last-updated-ms":1,"last-column-id":1,` +
		`"schema":{"type":"struct","fields":[{"id":1,"name":"id","required":true,"type":"long"}]},"partition-spec":[]` + members + `}`
	if err := f.stores["default"].Create(f.t.Context(), "old/metadata/"+name, []byte(file)); err != nil {
		f.t.Fatal(err)
	}
	return location + "/metadata/" + name
}

// Case 3: a file that only speaks of the uuid does not have one.
func TestCase3_UUIDInAProperty(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	first := f.old("v1.metadata.json", "")
	uuidOf := func(a answer) string {
		t.Helper()
		var body struct {
			Metadata struct {
				UUID string `json:"table-uuid"`
			} `json:"metadata"`
		}
		f.must(200, a).into(t, &body)
		return body.Metadata.UUID
	}
	id := uuidOf(f.do("POST", registerPath, registerBody("t", first)))
	second := f.old("v2.metadata.json", fmt.Sprintf(`,"properties":{"table-uuid":%q},"metadata-log":[{"timestamp-ms":1,"metadata-file":%q}]`, id, first))
	body := strings.Replace(registerBody("t", second), "}", `,"overwrite":true}`, 1)
	equal(t, "uuid of the next file", uuidOf(f.do("POST", registerPath, body)), id)
	equal(t, "uuid of a load", uuidOf(f.do("GET", tablePath, "")), id)
}

// Case 3: a file without a uuid, registered twice, is two tables: a tag of the
// first is none of the second, and what was answered is answered again.
func TestCase3_TagsAndRepeats(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	file := f.old("v1.metadata.json", "")
	twice := func(path, body string) answer {
		t.Helper()
		k := aKey()
		first := f.must(200, f.do("POST", path, body, k))
		again := f.must(200, f.do("POST", path, body, k))
		equal(t, "again", string(again.body), string(first.body))
		equal(t, "tag again", again.tag(), first.tag())
		return first
	}
	body := registerBody("t", file)
	first := twice(registerPath, body)
	equal(t, "tag of a load", f.tagged(f.do("GET", tablePath, "")), first.tag())
	equal(t, "tag of no effect", f.tagged(f.do("POST", tablePath, `{"updates":[]}`)), first.tag())
	twice(tablePath+"/unregister", "")
	twice(registerPath, body)
	f.must(200, f.do("GET", tablePath, "", "If-None-Match: "+first.tag()))
}
