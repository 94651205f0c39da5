package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"puddle/journal"
	"puddle/rest/access"
)

// Case 101: who is not known learns nothing, before the body is read and before
// any effect.
func TestCase101_Unauthorized(t *testing.T) {
	f := serve(t, func(o *Options) {
		guard, err := access.NewGuard(access.Token{Name: "etl", SHA256: journal.Sum([]byte("s3cret"))})
		if err != nil {
			t.Fatal(err)
		}
		o.Access = guard
		o.Metrics = NewMetrics("test")
	})
	for _, path := range []string{v1 + "/namespaces", v1 + "/namespaces/n/tables/t", "/api/catalog/v1/config", "/metrics", "/api/puddle/v1/warehouses", "/nothing"} {
		for _, method := range []string{"GET", "POST", "DELETE", "PATCH"} {
			unread := &countingReader{from: strings.NewReader(`{"namespace":["n"]}`)}
			for _, h := range [][]string{nil, {"Authorization: Bearer "}, {"Authorization: Bearer wrong"}, {"Authorization: Basic czNjcmV0"}} {
				a := f.send(httptest.NewRequest(method, path, unread), h...)
				f.fails(a, 401, "NotAuthorizedException")
				if a.Header.Get("WWW-Authenticate") == "" || unread.n != 0 {
					t.Errorf("%s %s: WWW-Authenticate %q, %d bytes read", method, path, a.Header.Get("WWW-Authenticate"), unread.n)
				}
			}
		}
	}
	f.must(401, f.do("HEAD", v1+"/namespaces/n", ""))
	for _, path := range []string{"/healthz", "/readyz"} {
		f.must(200, f.do("GET", path, ""))
	}
	f.must(200, f.do("POST", v1+"/namespaces", `{"namespace":["n"]}`, "Authorization: Bearer s3cret"))
	entry := f.logged()
	if entry.Actor != "token:etl" || strings.Contains(fmt.Sprintf("%+v", entry), "s3cret") {
		t.Errorf("%+v", entry)
	}
	f.must(200, f.do("GET", "/metrics", "", "Authorization: Bearer s3cret"))
	r := httptest.NewRequest("DELETE", v1+"/namespaces/n", nil)
	f.must(204, f.send(r.WithContext(access.WithActor(r.Context(), journal.CLIActor("ada")))))
	var list struct{ Events []listed }
	f.do("GET", "/api/puddle/v1/warehouses/default/events?order=desc", "", "Authorization: Bearer s3cret").into(t, &list)
	if e := list.Events[0]; e.Actor != "cli:ada" || e.Origin != "cli" || list.Events[1].Actor != "token:etl" || list.Events[1].Origin != "rest" {
		t.Errorf("%+v", list.Events[:2])
	}
}

// Every answer carries an id: the client's when it is one that can be written
// anywhere, else a fresh one. Events carry it too (case 152).
func TestCase152_RequestIDs(t *testing.T) {
	f := serve(t, nil)
	long := strings.Repeat("x", 128)
	for _, id := range []string{"abc", long, "a~b!"} {
		a := f.do("POST", v1+"/namespaces", fmt.Sprintf(`{"namespace":["n%d"]}`, len(id)), "X-Request-Id: "+id, "User-Agent: Spark/4")
		equal(t, "id", f.must(200, a).Header.Get("X-Request-Id"), id)
		equal(t, "logged", f.logged().ID, id)
		equal(t, "recorded", f.events("")[0].RequestID, id)
	}
	seen := map[string]bool{}
	for _, id := range []string{"", long + "x", "a b", "é", "a\x7f"} {
		for _, path := range []string{"/healthz", "/nothing", v1 + "/namespaces"} {
			got := f.do("GET", path, "", "X-Request-Id: "+id).Header.Get("X-Request-Id")
			if got == "" || got == id || seen[got] {
				t.Errorf("%s with %q: %q", path, id, got)
			}
			seen[got] = true
		}
	}
}

// Case 152: a change that was answered is in the journal, and one that was not
// is in the log.
func TestCase152_Audit(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	f.must(200, f.do("POST", v1+"/namespaces/n/tables/t", `{"updates":[{"action":"set-properties","updates":{"a":"b"}}]}`))
	f.must(204, f.do("POST", v1+"/tables/rename", `{"source":{"namespace":["n"],"name":"t"},"destination":{"namespace":["n"],"name":"u"}}`))
	f.must(204, f.do("DELETE", v1+"/namespaces/n/tables/u", ""))
	f.must(200, f.do("POST", v1+"/namespaces/n/properties", `{"updates":{"a":"b"}}`))
	f.must(204, f.do("DELETE", v1+"/namespaces/n", ""))
	var kinds []string
	for _, e := range f.events("") {
		kinds = append(kinds, e.Kind)
	}
	equal(t, "kinds", kinds, []string{"namespace-dropped", "namespace-updated", "table-dropped", "table-renamed", "tables-committed", "table-created", "namespace-created", "incarnation-started"})
	f.fails(f.do("DELETE", v1+"/namespaces/n?secret=1", ""), 404, "NoSuchNamespaceException")
	entry := f.logged()
	if entry.Status != 404 || entry.Method != http.MethodDelete || entry.Warehouse != "default" || entry.Actor != "anonymous" ||
		entry.Route != "/api/catalog/v1/{prefix}/namespaces/{namespace}" || strings.Contains(entry.Path, "secret") || entry.BytesOut == 0 {
		t.Errorf("%+v", entry)
	}
}

func TestReadiness(t *testing.T) {
	state := error(nil)
	f := serve(t, func(o *Options) { o.Ready = func(context.Context) error { return state } })
	f.must(200, f.do("GET", "/readyz", ""))
	state = errors.New("catching up")
	message := f.fails(f.do("GET", "/readyz", ""), 503, "SlowDownException")
	equal(t, "message", message, "Not ready: catching up")
	f.must(200, f.do("GET", "/healthz", ""))
}
