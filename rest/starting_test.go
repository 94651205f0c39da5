package rest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
)

// A server that is being opened says so, and what is under way; nothing is done
// that a client could take for an unknown outcome.
func TestStarting(t *testing.T) {
	f := serve(t, nil)
	f.options.Metrics = NewMetrics("x")
	o := f.options
	o.Warehouses = nil
	o.Ready = func(context.Context) error { return errors.New("starting: replaying default: 3 of 9 events") }
	f.handler = Starting(o)
	f.must(200, f.do("GET", "/healthz", ""))
	const table = "/namespaces/n/tables/t"
	for _, c := range []struct {
		method, path string
		status       int
		kind         string
	}{
		{"GET", "/readyz", 503, "SlowDownException"},
		{"GET", "/api/catalog/v1/config", 503, "SlowDownException"},
		{"GET", v1 + table, 503, "SlowDownException"},
		{"GET", "/api/catalog/v1" + table, 503, "SlowDownException"},
		{"POST", v1 + table, 429, "SlowDownException"},
		{"POST", "/api/catalog/v1" + table, 429, "SlowDownException"},
		{"POST", "/api/catalog/v1/transactions/commit", 429, "SlowDownException"},
		{"GET", "/api/puddle/v1/warehouses", 503, "SlowDownException"},
		{"GET", "/nowhere", 404, "NoSuchEndpointException"},
		{"DELETE", "/healthz", 405, "MethodNotAllowedException"},
	} {
		a := f.do(c.method, c.path, `{}`)
		message := f.fails(a, c.status, c.kind)
		if waits := c.status == 503 || c.status == 429; waits != (a.Header.Get("Retry-After") != "") || waits && !strings.HasSuffix(message, "replaying default: 3 of 9 events") {
			t.Errorf("%s %s: %q, header %v", c.method, c.path, message, a.Header)
		}
	}
	s := f.status()
	if s.Ready || s.Writer.State != "starting" || len(s.Warehouses) != 0 || len(s.Warnings) != 1 || s.Warnings[0].Critical {
		t.Errorf("status %+v", s)
	}
	f.showsMetric(`puddle_ready 0`, `puddle_writer_state{state="starting"} 1`)
	f.handler = New(f.options)
	f.must(http.StatusOK, f.do("GET", "/readyz", ""))
	f.showsMetric(`puddle_ready 1`, `puddle_writer_state{state="running"} 1`, `puddle_writer_state{state="starting"} 0`)
}

// showsMetric looks for lines of /metrics.
func (f *fixture) showsMetric(lines ...string) {
	f.t.Helper()
	text := string(f.must(200, f.do("GET", "/metrics", "")).body)
	for _, line := range lines {
		if !strings.Contains(text, line+"\n") {
			f.t.Errorf("%s is missing from\n%s", line, text)
		}
	}
}
