package rest

import (
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
	for _, c := range []struct{ name, method, path, body string }{
		{"health", "GET", "/healthz", ""},
		{"exists", "HEAD", v1 + "/namespaces/n/tables/t", ""},
		{"load", "GET", v1 + "/namespaces/n/tables/t", ""},
		{"commit without effect", "POST", v1 + "/namespaces/n/tables/t", `{"updates":[]}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := discard{http.Header{}}
				f.handler.ServeHTTP(&w, httptest.NewRequest(c.method, c.path, strings.NewReader(c.body)))
			}
		})
	}
}

// discard is a response nobody reads.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}
