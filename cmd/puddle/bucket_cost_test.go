package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/cmd/puddle/config"
	"puddle/internal/s3test"
)

// objectsAsked passes requests on to an object store, and counts those for metadata
// files, by method.
type objectsAsked struct {
	store http.Handler
	mu    sync.Mutex
	n     map[string]int // guarded by mu
}

// ServeHTTP implements http.Handler.
func (o *objectsAsked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, ".metadata.json") && !strings.Contains(r.URL.Path, "/_puddle/") {
		o.mu.Lock()
		o.n[r.Method]++
		o.mu.Unlock()
	}
	o.store.ServeHTTP(w, r)
}

func (o *objectsAsked) take() map[string]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := o.n
	o.n = map[string]int{}
	return n
}

// countedBucket is a configuration over a bucket, what it is asked, and a folder of the test.
func countedBucket(t *testing.T) (config.Config, *objectsAsked) {
	t.Helper()
	store := s3test.Start(t)
	asked := &objectsAsked{store: store, n: map[string]int{}}
	front := httptest.NewServer(asked)
	t.Cleanup(front.Close)
	c, _ := overStore(t, t.TempDir(), "d", "s3://"+store.Bucket(t)+"/wh", front.URL, store.SecretAccessKey, "")
	return c, asked
}

// What requests cost in an object store (docs/benchmarks.md), whatever else the server
// does there behind its journal.
func TestWhatRequestsCostInABucket(t *testing.T) {
	const (
		schema = `"schema":{"type":"struct","fields":[{"id":1,"name":"x","required":false,"type":"long"}]}`
		view   = `{"name":"v",` + schema + `,"view-version":{"version-id":1,"timestamp-ms":1,"schema-id":0,"summary":{},` +
			`"representations":[{"type":"sql","sql":"select 1","dialect":"spark"}],"default-namespace":["n"]},"properties":{}}`
		updates = `"updates":[{"action":"set-properties","updates":{"%s":"v"}}]`
	)
	set := func(key string) string { return `"requirements":[],` + fmt.Sprintf(updates, key) }
	of := func(table string) string {
		return `{"identifier":{"namespace":["n"],"name":"` + table + `"},` + set("all") + `}`
	}
	c, asked := countedBucket(t)
	r := started(t, c)
	r.do("POST", "namespaces", `{"namespace":["n"]}`)
	check := func(method, path, body string, want map[string]int) {
		t.Helper()
		asked.take()
		r.do(method, path, body)
		if diff := cmp.Diff(want, asked.take()); diff != "" {
			t.Errorf("%s %s: %s", method, path, diff)
		}
	}
	none, put, get := map[string]int{}, map[string]int{"PUT": 1}, map[string]int{"GET": 1}
	check("POST", "namespaces/n/tables", `{"name":"a",`+schema+`}`, put)
	check("POST", "namespaces/n/tables", `{"name":"b",`+schema+`}`, put)
	check("POST", "namespaces/n/views", view, put)
	check("GET", "namespaces/n/tables/a", "", none)
	check("GET", "namespaces/n/views/v", "", none)
	check("HEAD", "namespaces/n/tables/a", "", none)
	check("POST", "namespaces/n/tables/a", `{`+set("k")+`}`, put)
	check("POST", "namespaces/n/views/v", `{`+set("k")+`}`, put)
	check("POST", "transactions/commit", `{"table-changes":[`+of("a")+`,`+of("b")+`]}`, map[string]int{"PUT": 2})
	check("GET", "namespaces/n/tables/a", "", none)
	check("POST", "tables/rename", `{"source":{"namespace":["n"],"name":"b"},"destination":{"namespace":["n"],"name":"c"}}`, none)
	check("DELETE", "namespaces/n/tables/c", "", none)
	r.stopped()
	r = started(t, c)
	check("GET", "namespaces/n/tables/a", "", get)
	check("GET", "namespaces/n/tables/a", "", none)
	check("POST", "namespaces/n/tables/a", `{`+set("l")+`}`, put)
	r.stopped()
}
