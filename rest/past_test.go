package rest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"puddle/internal/warehouse"
)

// then is the base of the catalog as of a seq.
func then(seq int) string { return fmt.Sprintf("%s@%d", v1, seq) }

// reads are paths below a warehouse that the past is compared by.
var pastReads = []string{
	"/namespaces", "/namespaces?parent=n", "/namespaces/n", "/namespaces/m", "/namespaces/n/tables", "/namespaces/m/tables",
	"/namespaces/n/views", "/namespaces/n/tables/t", "/namespaces/n/tables/t?snapshots=refs", "/namespaces/m/tables/u", "/namespaces/n/views/v",
}

// seen is what a client sees of a warehouse: status, tag and body by path.
func (f *fixture) seen(base string) map[string]string {
	f.t.Helper()
	all := map[string]string{}
	for _, path := range pastReads {
		a := f.do("GET", base+path, "")
		all[path] = fmt.Sprint(a.StatusCode, a.tag(), string(a.body))
		if strings.Contains(path, "?") {
			continue
		}
		if strings.Count(path, "/")%2 == 0 { // one namespace or object: it can be asked for with HEAD
			all["HEAD "+path] = fmt.Sprint(f.do("HEAD", base+path, "").StatusCode)
		}
	}
	return all
}

// pastStory does what changes things, one event a step, from seq 2 on.
func pastStory(f *fixture) []func() {
	post := func(status int, path, body string) func() {
		return func() { f.t.Helper(); f.must(status, f.do("POST", v1+path, body)) }
	}
	return []func(){
		func() { f.ns("n") },
		func() { f.ns("m") },
		func() { f.table("n", "t") },
		post(200, "/namespaces/n/tables/t", setProperty("a", strings.Repeat("b", 2000))),
		func() { f.view("n", "v") },
		post(204, "/tables/rename", `{"source":{"namespace":["n"],"name":"t"},"destination":{"namespace":["m"],"name":"u"}}`),
		func() { f.table("n", "t") },
		post(200, "/namespaces/m/tables/u", setProperty("a", "c")),
		post(200, "/namespaces/m/properties", `{"updates":{"k":"v"}}`),
		func() { f.must(204, f.do("DELETE", v1+"/namespaces/n/tables/t", "")) },
		func() { f.must(204, f.do("DELETE", v1+"/namespaces/n/views/v", "")) },
		func() { f.must(204, f.do("DELETE", v1+"/namespaces/n", "")) },
	}
}

// Case 159: whatever a client saw after an event it sees for ever as of that event, tags
// included; also when all metadata files are gone.
func TestCase159_PastIsAsItWas(t *testing.T) {
	f := serve(t, nil)
	saw := map[int]map[string]string{1: f.seen(v1)}
	for i, step := range pastStory(f) {
		step()
		saw[i+2] = f.seen(v1)
	}
	check := func(when string) {
		t.Helper()
		for seq, want := range saw {
			for path, got := range f.seen(then(seq)) {
				if got != want[path] {
					t.Errorf("%s, as of %d: %s\n got %s\nwant %s", when, seq, path, got, want[path])
				}
			}
		}
	}
	check("now")
	store := f.stores["default"]
	for e, err := range warehouse.Reader(store).List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(e.Key, "/metadata/") {
			if err := store.Delete(t.Context(), e.Key); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.stop(); err != nil {
		t.Fatal(err)
	}
	f.start()
	check("without files")
	tag := f.tagged(f.do("GET", then(5)+"/namespaces/n/tables/t", ""))
	f.must(304, f.do("GET", then(5)+"/namespaces/n/tables/t", "", "If-None-Match: "+tag))
	zipped := f.must(200, f.do("GET", then(5)+"/namespaces/n/tables/t", "", "Accept-Encoding: gzip"))
	equal(t, "encoding", zipped.Header.Get("Content-Encoding"), "gzip")
}

// The prefix is told once, by any form of a point; it names an event, whatever the
// point was.
func TestConfigOfThePast(t *testing.T) {
	f := story(t)
	fifth := f.events("")[5]
	equal(t, "seq", fifth.Seq, 5)
	for _, point := range []string{"seq:5", "5", fifth.ID, fifth.At} {
		var c configuration
		f.must(200, f.do("GET", "/api/catalog/v1/config?warehouse="+url.QueryEscape("default@"+point), "")).into(t, &c)
		equal(t, point, c.Overrides["prefix"], "default@5")
		equal(t, "lifetime of keys", c.KeyLifetime, "")
		for _, e := range c.Endpoints {
			if !strings.HasPrefix(e, "GET ") && !strings.HasPrefix(e, "HEAD ") {
				t.Errorf("endpoint of the past: %s", e)
			}
		}
		if len(c.Endpoints) != 9 {
			t.Errorf("%d endpoints", len(c.Endpoints))
		}
	}
	for point, want := range map[string]string{
		"":                     `Query parameter "warehouse" after its @ must be seq:N, a time such as 2026-09-24T10:00:00Z, INCARNATION:N or an event's id, not ""`,
		"2099-01-01T00:00:00Z": `Query parameter "warehouse" after its @: 2099-01-01T00:00:00Z is in the future: it is `,
		"2020-01-01T00:00:00Z": `Query parameter "warehouse" after its @: 2020-01-01T00:00:00Z is before the warehouse's birth: seq:1 of `,
		"09":                   `Query parameter "warehouse" after its @ must be seq:N, a time such as 2026-09-24T10:00:00Z, INCARNATION:N or an event's id, not "09"`,
		"11":                   `Query parameter "warehouse" after its @: seq:11 is in the future: the last event is seq:10`,
	} {
		got := f.fails(f.do("GET", "/api/catalog/v1/config?warehouse="+url.QueryEscape("default@"+point), ""), 400, "BadRequestException")
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s", point, got)
		}
	}
}

// Nothing that is there can be changed as of then, and what never was is not found.
func TestPastIsReadOnly(t *testing.T) {
	f := story(t)
	var c configuration
	f.do("GET", "/api/catalog/v1/config", "").into(t, &c)
	before := len(f.events(""))
	for _, e := range c.Endpoints {
		method, path, _ := strings.Cut(e, " ")
		if method == "GET" || method == "HEAD" || strings.HasSuffix(path, "/metrics") {
			continue
		}
		path = strings.NewReplacer("/v1/{prefix}", then(9), "{namespace}", "m", "{table}", "u", "{view}", "v").Replace(path)
		message := f.fails(f.do(method, path, "{", "Idempotency-Key: 0199b0a4-7f3c-7b64-8d7e-3c1f6a2b9e10"), 403, "ForbiddenException")
		equal(t, "message", message, "The past cannot be changed: default@9 is read only")
	}
	equal(t, "events", len(f.events("")), before)
	f.must(204, f.do("POST", then(9)+"/namespaces/m/tables/u/metrics", `{"report-type":"scan-report"}`))
	f.must(200, f.do("GET", "/api/catalog/v1/default%409/namespaces/m/tables/u", ""))
	for _, base := range []string{then(11), then(0), v1 + "@", v1 + "@x", v1 + "@-1", v1 + "@05", v1 + "@+5", v1 + "@1@1", "/api/catalog/v1/nope@1", "/api/catalog/v1/@1"} {
		f.fails(f.do("GET", base+"/namespaces", ""), 404, "NoSuchWarehouseException")
	}
	f.fails(f.do("GET", "/api/puddle/v1/warehouses/default@5/events", ""), 404, "NoSuchWarehouseException")
	equal(t, "name in the log", f.logged().Warehouse, "")
	f.must(200, f.do("GET", then(5)+"/namespaces", ""))
	equal(t, "name in the log", f.logged().Warehouse, "default")
}

// Tokens of pages are of one moment.
func TestPastIsPaged(t *testing.T) {
	f := story(t)
	var page struct {
		Namespaces [][]string
		Next       string `json:"next-page-token"`
	}
	f.must(200, f.do("GET", then(9)+"/namespaces?pageSize=1&pageToken=", "")).into(t, &page)
	if page.Next == "" {
		t.Fatal("no next page")
	}
	f.must(200, f.do("GET", then(9)+"/namespaces?pageToken="+page.Next, ""))
	f.fails(f.do("GET", then(8)+"/namespaces?pageToken="+page.Next, ""), 400, "BadRequestException")
	f.fails(f.do("GET", v1+"/namespaces?pageToken="+page.Next, ""), 400, "BadRequestException")
}

// Who does not want to wait until the past is known is told to ask again.
func TestPastTakesTooLong(t *testing.T) {
	f := story(t)
	f.options.RequestTimeout = time.Nanosecond
	f.handler = New(f.options)
	f.fails(f.do("GET", then(5)+"/namespaces", ""), 503, "SlowDownException")
	f.fails(f.do("GET", statePath, ""), 503, "SlowDownException")
	f.options.RequestTimeout = time.Minute
	f.handler = New(f.options)
	f.must(200, f.do("GET", then(5)+"/namespaces", ""))
}

// Without a past there is no catalog of then.
func TestNoPast(t *testing.T) {
	f := serve(t, func(o *Options) { o.Warehouses[0].Past = nil })
	f.fails(f.do("GET", then(1)+"/namespaces", ""), 404, "NoSuchWarehouseException")
	f.fails(f.do("GET", "/api/catalog/v1/config?warehouse=default@1", ""), 404, "NoSuchWarehouseException")
	f.fails(f.do("GET", statePath, ""), 406, "UnsupportedOperationException")
}
