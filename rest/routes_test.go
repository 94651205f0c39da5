package rest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"puddle/rest/access/vended"
)

// Case 91: what config lists and what the router has below the catalog's base are
// the same, method by method: with the prefix and, with one warehouse only,
// without. The route of credentials is listed where there are any.
func TestCase91_EndpointsAreTheRoutes(t *testing.T) {
	for _, names := range [][]string{{"default"}, {"default", "lake"}} {
		f := serve(t, func(o *Options) { o.Warehouses[0].Objects.Vendor = vended.New(vended.Options{}) }, names...)
		want := map[string]bool{"GET " + catalogBase + "/config": true}
		var c configuration
		f.must(200, f.do("GET", catalogBase+"/config?warehouse=default", "")).into(t, &c)
		for _, endpoint := range c.Endpoints {
			full := strings.Replace(endpoint, " /v1", " "+catalogBase, 1)
			if want[full] {
				t.Errorf("%s is listed twice", endpoint)
			}
			want[full] = true
			if len(names) == 1 {
				want[strings.Replace(full, "/{prefix}", "", 1)] = true
			}
		}
		got := map[string]bool{}
		for route, methods := range f.handler.(*server).router.resources {
			path, err := route.GetPathTemplate()
			if err != nil {
				t.Fatal(err)
			}
			for method := range methods {
				if strings.HasPrefix(path, catalogBase) {
					got[method+" "+path] = true
				}
			}
		}
		equal(t, "routes", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// Lists without entries are empty and never null, and what is optional is left
// out.
func TestEmptyListsAreWritten(t *testing.T) {
	f := serve(t, nil)
	body := func(a answer) string { return string(f.must(200, a).body) }
	equal(t, "namespaces", body(f.do("GET", v1+"/namespaces", "")), `{"namespaces":[]}`)
	f.ns("n")
	for _, list := range []string{"tables", "views"} {
		equal(t, list, body(f.do("GET", v1+"/namespaces/n/"+list, "")), `{"identifiers":[]}`)
		equal(t, list, body(f.do("GET", v1+"/namespaces/n/"+list+"?pageToken=&pageSize=1", "")), `{"identifiers":[]}`)
	}
	equal(t, "children", body(f.do("GET", v1+"/namespaces?parent=n", "")), `{"namespaces":[]}`)
	equal(t, "change", body(f.do("POST", v1+"/namespaces/n/properties", `{}`)), `{"updated":[],"removed":[],"missing":[]}`)
	f.table("n", "t")
	f.view("n", "v")
	last := `{"identifiers":[{"name":"t","namespace":["n"]}]}`
	equal(t, "the only page", body(f.do("GET", v1+"/namespaces/n/tables?pageToken=&pageSize=1", "")), last)
}
