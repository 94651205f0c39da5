package rest

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func (f *fixture) namespaces(query string) (names []string) {
	f.t.Helper()
	var list struct{ Namespaces [][]string }
	f.must(200, f.do("GET", v1+"/namespaces"+query, "")).into(f.t, &list)
	for _, levels := range list.Namespaces {
		names = append(names, strings.Join(levels, "/"))
	}
	return names
}

func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Case 78: 0x1F separates levels, a dot does not.
func TestCase78_Separator(t *testing.T) {
	f := serve(t, nil)
	f.ns("a")
	f.ns("a", "b")
	f.must(200, f.do("GET", v1+"/namespaces/a%1Fb", ""))
	f.must(200, f.do("GET", v1+"/namespaces/a%1fb", ""))
	f.must(204, f.do("HEAD", v1+"/namespaces/a%1Fb", ""))
	equal(t, "parent a", f.namespaces("?parent=a"), []string{"a/b"})
	equal(t, "parent a, b", f.namespaces("?parent=a%1Fb"), nil)
	f.fails(f.do("GET", v1+"/namespaces/a.b", ""), 404, "NoSuchNamespaceException")
	f.fails(f.do("GET", v1+"/namespaces/a%00b", ""), 404, "NoSuchNamespaceException")
	for _, path := range []string{"/namespaces/a%1F", "/namespaces/%1Fb", "/namespaces/a%1F/tables/t", "/namespaces?parent=a%1F"} {
		f.fails(f.do("GET", v1+path, ""), 400, "BadRequestException")
	}
}

// Case 83: what no name can be is refused at create and missing elsewhere; every
// other name works everywhere and comes back as it is.
func TestCase83_Names(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	for _, name := range []string{`"\u0000"`, `"a\nb"`, `"\u001f"`, `""`, `"."`, `".."`, `"\ud800"`, "\"\xff\"", `"` + strings.Repeat("x", 1025) + `"`} {
		f.fails(f.do("POST", v1+"/namespaces", `{"namespace":[`+name+`]}`), 400, "BadRequestException")
		f.fails(f.do("POST", v1+"/namespaces/n/tables", `{"name":`+name+`,"schema":`+schema+`}`), 400, "BadRequestException")
	}
	for _, segment := range []string{"%FF", "%E0%80%80", "%0A", "%2e%2e", ".", "%7F", strings.Repeat("x", 1025)} {
		f.fails(f.do("GET", v1+"/namespaces/"+segment, ""), 404, "NoSuchNamespaceException")
		f.fails(f.do("GET", v1+"/namespaces/n/tables/"+segment, ""), 404, "NoSuchTableException")
	}
	for _, name := range []string{"é", "e\u0301", "\u202eabc", "😀", "a/b", "%", "%2F", "#?&=", "a b", "a+b", `"quoted\`, "…"} {
		f.ns(name)
		segment := strings.ReplaceAll(url.PathEscape(name), "+", "%2B")
		f.table(segment, name)
		f.must(204, f.do("HEAD", v1+"/namespaces/"+segment+"/tables/"+segment, ""))
		equal(t, "tables", f.tableNames(segment), []string{name})
	}
}

// Case 88: a parent that does not exist is said to be missing.
func TestCase88_Parents(t *testing.T) {
	f := serve(t, nil)
	f.ns("a")
	f.ns("a b")
	f.ns("a b", "c")
	f.ns("a b", "c", "d")
	equal(t, "top", f.namespaces(""), []string{"a", "a b"})
	equal(t, "empty parent", f.namespaces("?parent="), []string{"a", "a b"})
	equal(t, "childless", f.namespaces("?parent=a"), nil)
	equal(t, "direct children", f.namespaces("?parent=a+b"), []string{"a b/c"})
	equal(t, "escaped twice", f.namespaces("?parent=a%2520b%1Fc"), []string{"a b/c/d"})
	equal(t, "escaped twice, separator too", f.namespaces("?parent=a%2520b%251Fc"), []string{"a b/c/d"})
	f.ns("a%20b")
	f.ns("a%20b", "own")
	equal(t, "the name as it stands", f.namespaces("?parent=a%2520b"), []string{"a%20b/own"})
	message := f.fails(f.do("GET", v1+"/namespaces?parent=non-existing", ""), 404, "NoSuchNamespaceException")
	equal(t, "message", message, "Namespace does not exist: non-existing")
	f.fails(f.do("GET", v1+"/namespaces?parent=no%2520pe", ""), 404, "NoSuchNamespaceException")
	f.fails(f.do("GET", v1+"/namespaces/nope/tables", ""), 404, "NoSuchNamespaceException")
}

// Case 94: what is not empty stays.
func TestCase94_DropNonEmpty(t *testing.T) {
	f := serve(t, nil)
	f.ns("a")
	f.ns("a", "b")
	f.table("a%1Fb", "t")
	for _, path := range []string{"/namespaces/a", "/namespaces/a%1Fb"} {
		message := f.fails(f.do("DELETE", v1+path, ""), 409, "NamespaceNotEmptyException")
		if !strings.Contains(message, "is not empty") {
			t.Error(message)
		}
	}
	f.must(204, f.do("DELETE", v1+"/namespaces/a%1Fb/tables/t", ""))
	f.must(204, f.do("DELETE", v1+"/namespaces/a%1Fb", ""))
	f.must(204, f.do("DELETE", v1+"/namespaces/a", ""))
	f.fails(f.do("DELETE", v1+"/namespaces/a", ""), 404, "NoSuchNamespaceException")
}

// Case 96: names are compared whole, level by level.
func TestCase96_NoWildcards(t *testing.T) {
	f := serve(t, nil)
	for _, levels := range [][]string{{"my_ns_112_1"}, {"a%"}, {"a"}, {"a", "b"}, {"a.b"}, {"test.auto_rag"}} {
		f.ns(levels...)
	}
	for _, missing := range []string{"my_ns_1_2", "my_ns", "my%25", "ab", "test_auto_rag", "A", "_"} {
		f.must(404, f.do("HEAD", v1+"/namespaces/"+missing, ""))
	}
	for _, there := range []string{"a%25", "a.b", "a%1Fb"} {
		f.must(204, f.do("HEAD", v1+"/namespaces/"+there, ""))
	}
	equal(t, "children", f.namespaces("?parent=a"), []string{"a/b"})
	equal(t, "children", f.namespaces("?parent=a.b"), nil)
}

// Case 106: properties.
func TestCase106_Properties(t *testing.T) {
	f := serve(t, nil)
	f.must(200, f.do("POST", v1+"/namespaces", `{"namespace":["n"],"properties":{"a":"1"}}`))
	update := func(body string) answer { return f.do("POST", v1+"/namespaces/n/properties", body) }
	f.fails(update(`{"removals":["a"],"updates":{"a":"2"}}`), 422, "UnprocessableEntityException")
	equal(t, "removal of the last", string(f.must(200, update(`{"removals":["a","zz","zz"]}`)).body), `{"updated":[],"removed":["a"],"missing":["zz"]}`)
	equal(t, "what is left", slices.Collect(maps.Keys(f.properties("n"))), []string{"location"})
	for _, body := range []string{`{"updates":{"a":null}}`, `{"updates":{"a":1}}`, `{"removals":[null]}`, `{"removals":"a"}`, `{"updates":[]}`, `[]`, ``} {
		f.fails(update(body), 400, "BadRequestException")
	}
	f.must(200, update(`{"removals":null,"updates":null}`))
	f.fails(f.do("POST", v1+"/namespaces", `{"namespace":["m"],"properties":{"a":null}}`), 400, "BadRequestException")
	f.fails(f.do("POST", v1+"/namespaces/no/properties", `{}`), 404, "NoSuchNamespaceException")
}

func (f *fixture) properties(namespace string) map[string]string {
	f.t.Helper()
	var body struct{ Properties map[string]string }
	f.must(200, f.do("GET", v1+"/namespaces/"+namespace, "")).into(f.t, &body)
	return body.Properties
}

// Case 49: a namespace without a location has one of its own below the
// warehouse, told by create and load alike, until it is given another; Trino
// places tables below it.
func TestCase49_LocationOfNamespaces(t *testing.T) {
	f := serve(t, nil)
	var made struct{ Properties map[string]string }
	f.must(200, f.do("POST", v1+"/namespaces", `{"namespace":["n"],"properties":{"a":"1"}}`)).into(t, &made)
	f.ns("other")
	own := made.Properties["location"]
	if !strings.HasPrefix(own, root("default")+"/") || own == f.properties("other")["location"] {
		t.Errorf("%s is no place of the namespace's own below the warehouse", own)
	}
	equal(t, "loaded", f.properties("n"), map[string]string{"a": "1", "location": own})
	update := func(body string) string {
		return string(f.must(200, f.do("POST", v1+"/namespaces/n/properties", body)).body)
	}
	equal(t, "no property to remove", update(`{"removals":["location"]}`), `{"updated":[],"removed":[],"missing":["location"]}`)
	update(`{"updates":{"location":"` + own + `_elsewhere"}}`)
	equal(t, "given", f.properties("n")["location"], own+"_elsewhere")
	update(`{"removals":["location"]}`)
	equal(t, "given no more", f.properties("n")["location"], own)
	f.must(200, f.do("POST", v1+"/namespaces/n/tables", `{"name":"t","location":"`+own+`/t-1","stage-create":true,"schema":`+schema+`}`))
}

func TestCreateNamespace(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	message := f.fails(f.do("POST", v1+"/namespaces", `{"namespace":["n"]}`), 409, "AlreadyExistsException")
	equal(t, "message", message, "Namespace already exists: n")
	f.fails(f.do("POST", v1+"/namespaces", `{"namespace":["no","child"]}`), 404, "NoSuchNamespaceException")
	for _, body := range []string{`{}`, `{"namespace":null}`, `{"namespace":[]}`, `{"namespace":"n"}`, `{"namespace":[1]}`} {
		f.fails(f.do("POST", v1+"/namespaces", body), 400, "BadRequestException")
	}
}
