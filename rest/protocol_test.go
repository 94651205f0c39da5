package rest

import (
	"strings"
	"testing"
)

// Cases 82 and 111: paths are taken as they are. Nothing is cleaned, nothing is
// redirected, whatever the method.
func TestCase82_PathsAreNotCleaned(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	for _, path := range []string{
		"//v1/config", "/iceberg/v1/config", "/api/catalog/v1/config/", "/api/catalog//v1/config", "/api/catalog/v1/../v1/config", "/",
		v1 + "/namespaces/", v1 + "/namespaces/n/", v1 + "/namespaces/n/tables/t/", v1 + "/namespaces/../namespaces", v1 + "/namespaces/n/tables/x//y",
		v1 + "/namespaces//tables", "/api/catalog/v1/a/b/namespaces", v1 + "/namespaces/n/tables/t/metrics/1", v1 + "/transactions", v1 + "/namespaces/n/view",
	} {
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS"} {
			f.fails(f.do(method, path, ""), 404, "NoSuchEndpointException")
		}
	}
	for _, path := range []string{v1 + "/namespaces/n/tables/..", v1 + "/namespaces/n/tables/.", v1 + "/namespaces/n/tables/%2e%2e", v1 + "/namespaces/n/tables/%2E%2E", v1 + "/namespaces/../tables/t"} {
		f.fails(f.do("GET", path, ""), 404, "NoSuchTableException")
		f.fails(f.do("POST", path, `{"updates":[]}`), 404, "NoSuchTableException")
	}
	for _, prefix := range []string{"a%2Fb", "DEFAULT", "other", "namespaces", "default%20", "default@99"} {
		f.fails(f.do("GET", "/api/catalog/v1/"+prefix+"/namespaces", ""), 404, "NoSuchWarehouseException")
	}
	f.must(200, f.do("GET", "/api/catalog/v1/%64efault/namespaces", ""))
}

// Case 90: HEAD has routes of its own, and no body ever.
func TestCase90_Head(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	for path, status := range map[string]int{
		v1 + "/namespaces/n":              204,
		v1 + "/namespaces/x":              404,
		v1 + "/namespaces/n/tables/t":     204,
		v1 + "/namespaces/n/tables/x":     404,
		v1 + "/namespaces/x/tables/t":     404,
		v1 + "/namespaces":                405,
		v1 + "/nothing":                   404,
		"/api/catalog/v1/no/namespaces/n": 404,
		"/healthz":                        200,
		"/readyz":                         200,
	} {
		a := f.must(status, f.do("HEAD", path, ""))
		if len(a.body) != 0 || a.Header.Get("Content-Length") != "" && a.Header.Get("Content-Length") != "0" {
			t.Errorf("HEAD %s: %d bytes, Content-Length %q", path, len(a.body), a.Header.Get("Content-Length"))
		}
	}
	f.stores["default"].Delete(t.Context(), f.fileOf("n", "t"))
	f.must(204, f.do("HEAD", v1+"/namespaces/n/tables/t", ""))
}

// fileOf is the key of a table's metadata file.
func (f *fixture) fileOf(namespace, table string) string {
	f.t.Helper()
	var l loadedTable
	f.must(200, f.do("GET", v1+"/namespaces/"+namespace+"/tables/"+table, "")).into(f.t, &l)
	return strings.TrimPrefix(*l.Location, root("default")+"/")
}

// A file that is gone is told with the words and the type that clients look for
// (rck §1.1).
func TestMissingFile(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	key := f.fileOf("n", "t")
	f.stores["default"].Delete(t.Context(), key)
	for _, method := range []string{"GET", "POST"} {
		message := f.fails(f.do(method, v1+"/namespaces/n/tables/t", `{"updates":[{"action":"set-properties","updates":{"a":"b"}}]}`), 404, "NotFoundException")
		if !strings.Contains(message, "Failed to open input stream for file: "+root("default")+"/"+key) {
			t.Error(message)
		}
	}
	f.must(204, f.do("DELETE", v1+"/namespaces/n/tables/t", ""))
}

// Case 108: wrong methods name the right ones.
func TestCase108_WrongMethods(t *testing.T) {
	f := serve(t, nil)
	for path, allow := range map[string]string{
		v1 + "/namespaces":            "GET, POST",
		v1 + "/namespaces/n":          "DELETE, GET, HEAD",
		v1 + "/namespaces/n/tables/t": "DELETE, GET, HEAD, POST",
		v1 + "/tables/rename":         "POST",
		"/api/catalog/v1/config":      "GET",
		"/api/puddle/v1/warehouses":   "GET",
	} {
		for _, method := range []string{"PUT", "PATCH", "OPTIONS", "BREW"} {
			a := f.do(method, path, "")
			f.fails(a, 405, "MethodNotAllowedException")
			equal(t, path, a.Header.Get("Allow"), allow)
		}
	}
}

// Where no token is needed, a browser must not do what pages of other sites say.
func TestOtherSitesChangeNothing(t *testing.T) {
	f := serve(t, nil)
	for _, h := range []string{"Origin: http://evil.example", "Sec-Fetch-Site: cross-site", "Origin: null"} {
		f.fails(f.do("POST", v1+"/namespaces", `{"namespace":["n"]}`, h, "Content-Type: text/plain"), 403, "ForbiddenException")
	}
	f.must(404, f.do("HEAD", v1+"/namespaces/n", ""))
	f.must(200, f.do("POST", v1+"/namespaces", `{"namespace":["n"]}`, "Sec-Fetch-Site: same-origin"))
}
