package rest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What a request costs beside the catalog's own work: one that does nothing, one
// that looks a name up, one that answers a document, one that changes it.
func BenchmarkRequests(b *testing.B) {
	f := serve(b, func(o *Options) { o.Metrics, o.Log = NewMetrics("bench"), nil })
	f.ns("n")
	f.table("n", "t")
	for i := range 100 {
		f.table("n", fmt.Sprintf("t%06d", i))
	}
	for _, c := range []struct{ name, method, path, body string }{
		{"health", "GET", "/healthz", ""},
		{"exists", "HEAD", v1 + "/namespaces/n/tables/t", ""},
		{"load", "GET", v1 + "/namespaces/n/tables/t", ""},
		{"list of 100", "GET", v1 + "/namespaces/n/tables?pageToken=&pageSize=100", ""},
		{"commit without effect", "POST", v1 + "/namespaces/n/tables/t", `{"updates":[]}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			r := httptest.NewRequest(c.method, c.path, nil)
			r.Header.Set("Authorization", "Bearer secret")
			body := strings.NewReader(c.body)
			for b.Loop() {
				body.Reset(c.body)
				r.Body = io.NopCloser(body)
				f.handler.ServeHTTP(&discard{http.Header{}}, r)
			}
		})
	}
}

// A load with credentials that are known already, beside one without.
func BenchmarkDelegatedLoad(b *testing.B) {
	f, _ := serveVending(b, func(o *Options) { o.Metrics, o.Log = NewMetrics("bench"), nil })
	f.table("n", "t")
	for name, delegation := range map[string]string{"without": "", "with": "vended-credentials"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r := httptest.NewRequest("GET", tablePath, nil)
			r.Header.Set(delegationHeader, delegation)
			for b.Loop() {
				f.handler.ServeHTTP(&discard{http.Header{}}, r)
			}
		})
	}
}

// discard is a response nobody reads.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}
