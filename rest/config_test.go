package rest

import (
	"slices"
	"strings"
	"testing"
)

// Case 91: config knows its warehouses.
func TestCase91_Config(t *testing.T) {
	one, two := serve(t, nil), serve(t, nil, "default", "lake")
	prefix := func(f *fixture, query string) string {
		var c configuration
		f.must(200, f.do("GET", "/api/catalog/v1/config"+query, "")).into(t, &c)
		if c.Defaults == nil || c.Endpoints == nil {
			t.Errorf("%q: defaults %v, endpoints %v", query, c.Defaults, c.Endpoints)
		}
		return c.Overrides["prefix"]
	}
	for _, query := range []string{"", "?warehouse=", "?warehouse=default", "?warehouse=%64efault"} {
		equal(t, query, prefix(one, query), "default")
	}
	equal(t, "lake", prefix(two, "?warehouse=lake"), "lake")
	for _, query := range []string{"?warehouse=nope", "?warehouse=Default", "?warehouse=s3%3A%2F%2Fbucket%2F", "?warehouse=nope@1", "?warehouse=@1"} {
		one.fails(one.do("GET", "/api/catalog/v1/config"+query, ""), 404, "NoSuchWarehouseException")
	}
	two.fails(two.do("GET", "/api/catalog/v1/config", ""), 400, "BadRequestException")
	two.fails(two.do("GET", "/api/catalog/v1/config?warehouse=default&warehouse=lake", ""), 400, "BadRequestException")
}

// Case 91: every endpoint that is listed is served, with the prefix and, with
// one warehouse, without; what is not listed is not.
func TestCase91_EndpointsAreServed(t *testing.T) {
	for _, base := range []string{"/api/catalog/v1/default", "/api/catalog/v1"} {
		f := serve(t, nil)
		f.ns("n")
		f.ns("empty")
		f.table("n", "t")
		f.table("n", "drop")
		f.table("n", "hand-over")
		f.view("n", "v")
		f.view("n", "drop-view")
		bodies := map[string]string{
			"/namespaces":                                    `{"namespace":["new"]}`,
			"/namespaces/{namespace}/properties":             `{"updates":{"a":"b"}}`,
			"/namespaces/{namespace}/tables":                 `{"name":"new","schema":` + schema + `}`,
			"/namespaces/{namespace}/tables/{table}":         `{"updates":[{"action":"set-properties","updates":{"a":"b"}}]}`,
			"/namespaces/{namespace}/tables/{table}/metrics": `{"report-type":"scan-report"}`,
			"/transactions/commit":                           `{"table-changes":[{"identifier":{"namespace":["n"],"name":"t"},"updates":[{"action":"set-properties","updates":{"a":"c"}}]}]}`,
			"/tables/rename":                                 `{"source":{"namespace":["n"],"name":"t"},"destination":{"namespace":["n"],"name":"u"}}`,
			"/namespaces/{namespace}/views":                  viewBody("new-view"),
			"/namespaces/{namespace}/views/{view}":           `{"updates":[{"action":"set-properties","updates":{"a":"b"}}]}`,
			"/views/rename":                                  `{"source":{"namespace":["n"],"name":"v"},"destination":{"namespace":["n"],"name":"w"}}`,
			"/namespaces/{namespace}/register":               registerBody("back", f.droppedTable("n")),
			"/namespaces/{namespace}/register-view":          registerBody("again", f.droppedView("n")),
		}
		var c configuration
		f.do("GET", "/api/catalog/v1/config", "").into(t, &c)
		slices.SortStableFunc(c.Endpoints, func(a, b string) int { return strings.Compare(a[:2], b[:2]) })
		slices.Reverse(c.Endpoints) // deletes last
		for _, endpoint := range c.Endpoints {
			method, path, _ := strings.Cut(endpoint, " /v1/{prefix}")
			target := base + strings.NewReplacer("{namespace}", "n", "{table}", "t", "{view}", "v").Replace(path)
			switch {
			case endpoint == "DELETE /v1/{prefix}/namespaces/{namespace}":
				target = base + "/namespaces/empty"
			case method == "DELETE" && strings.HasSuffix(path, "{view}"):
				target = base + "/namespaces/n/views/drop-view"
			case method == "DELETE":
				target = base + "/namespaces/n/tables/drop"
			case strings.HasSuffix(path, "/unregister"):
				target = base + "/namespaces/n/tables/hand-over/unregister"
			case path == "/tables/rename", path == "/views/rename":
				defer func() { f.must(204, f.do(method, target, bodies[path])) }()
				continue
			}
			if a := f.do(method, target, bodies[path]); a.StatusCode != 200 && a.StatusCode != 204 {
				t.Errorf("%s: %d %s", endpoint, a.StatusCode, a.body)
			}
		}
	}
	f := serve(t, nil, "default", "lake")
	f.fails(f.do("GET", "/api/catalog/v1/namespaces", ""), 404, "NoSuchEndpointException")
}

// Warehouses do not see each other.
func TestWarehousesAreApart(t *testing.T) {
	f := serve(t, nil, "default", "lake")
	f.ns("n")
	f.table("n", "t")
	f.must(404, f.do("HEAD", "/api/catalog/v1/lake/namespaces/n", ""))
	f.must(200, f.do("POST", "/api/catalog/v1/lake/namespaces", `{"namespace":["n"]}`))
	f.must(404, f.do("HEAD", "/api/catalog/v1/lake/namespaces/n/tables/t", ""))
}
