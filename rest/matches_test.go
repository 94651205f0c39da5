package rest

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"puddle/journal"
	"puddle/rest/access"
)

// However many paths clients send, few are kept, and no long ones; those that are
// asked for again stay.
func TestMatchesAreBounded(t *testing.T) {
	var m matches
	hot := &match{path: "hot"}
	m.keep(hot)
	for i := range 10 * maxMatches {
		m.keep(&match{path: fmt.Sprint(i)})
		if m.find("hot") != hot {
			t.Fatalf("the path that is asked for always is gone after %d others", i)
		}
		if held := len(m.young) + len(m.old); held > maxMatches {
			t.Fatalf("%d are kept", held)
		}
	}
	if m.find("0") != nil {
		t.Error("what nobody asked for again is there")
	}
	long := &match{path: strings.Repeat("x", maxMatchPath+1)}
	if m.keep(long); m.find(long.path) != nil {
		t.Error("a long path is kept")
	}
}

// What leads nowhere is not kept, and what is kept holds none of the request that
// it came with.
func TestMatchesAreOfRoutes(t *testing.T) {
	r := newRouter((&server{}).endpoints())
	for _, path := range []string{"/nothing", catalogBase + "/w/namespaces/n/tables/t/nothing"} {
		if found := r.find(&url.URL{Path: path}); found != nil || len(r.known.young) != 0 {
			t.Errorf("%s leads to %v, %d kept", path, found, len(r.known.young))
		}
	}
	u := httptest.NewRequest("GET", v1+"/namespaces/n/tables/t%2Fu?"+strings.Repeat("x", 1000), nil).URL
	first := r.find(u)
	if r.find(u) != first || len(r.known.young) != 1 {
		t.Fatal("it is looked for again")
	}
	equal(t, "path", first.path, v1+"/namespaces/n/tables/t%2Fu")
	equal(t, "name", first.names.plain.Name, "t/u")
	equal(t, "warehouse", first.warehouse, "default")
}

// One path, asked for by several methods, clients and habits, before and after what
// it names exists: a match answers only what the path says.
func TestMatchesTellNothingOfWhatExists(t *testing.T) {
	guard, err := access.NewGuard(access.Token{Name: "a", SHA256: journal.Sum([]byte("secret"))})
	if err != nil {
		t.Fatal(err)
	}
	f := serve(t, func(o *Options) { o.Access = guard })
	const token = "Authorization: Bearer secret"
	for range 2 {
		f.fails(f.do("GET", tablePath, ""), 401, "NotAuthorizedException")
		f.fails(f.do("GET", tablePath, "", token), 404, "NoSuchTableException")
		f.fails(f.do("PUT", tablePath, ""), 401, "NotAuthorizedException")
		f.fails(f.do("PUT", tablePath, "", token), 405, "MethodNotAllowedException")
	}
	f.must(200, f.do("POST", v1+"/namespaces", `{"namespace":["n"]}`, token))
	f.must(200, f.do("POST", v1+"/namespaces/n/tables", `{"name":"t","schema":`+schema+`}`, token))
	f.must(200, f.do("GET", tablePath, "", token))
	f.must(204, f.do("HEAD", tablePath, "", token))
	f.must(401, f.do("HEAD", tablePath, ""))
	f.must(204, f.do("DELETE", tablePath, "", token))
	f.fails(f.do("GET", tablePath, "", token), 404, "NoSuchTableException")
}
