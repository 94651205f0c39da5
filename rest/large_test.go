package rest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// snapshots makes a table of so many, of which a branch keeps the last.
func (f *fixture) snapshots(ns, name string, n int) {
	f.t.Helper()
	f.table(ns, name)
	var updates strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&updates, `{"action":"add-snapshot","snapshot":{"snapshot-id":%d,"sequence-number":%d,"timestamp-ms":%d,`+
			`"manifest-list":"file:///lake/n/t/metadata/snap-%d-1-00000000-0000-4000-8000-%012x.avro","schema-id":0,"summary":{"operation":"append",`+
			`"added-data-files":"1","added-records":"1000","added-files-size":"104857","changed-partition-count":"1","total-records":"%d",`+
			`"total-files-size":"%d","total-data-files":"%d","total-delete-files":"0","total-position-deletes":"0","total-equality-deletes":"0"}}},`,
			i, i, epoch.UnixMilli()+int64(i), i, i, i*1000, i*104857, i)
	}
	fmt.Fprintf(&updates, `{"action":"set-snapshot-ref","ref-name":"main","type":"branch","snapshot-id":%d}`, n)
	f.must(200, f.do("POST", v1+"/namespaces/"+ns+"/tables/"+name, `{"updates":[`+updates.String()+`]}`))
}

// BenchmarkLargeLoad answers a table of 2,000 snapshots in all ways that a load
// can ask for.
func BenchmarkLargeLoad(b *testing.B) {
	f := serve(b, func(o *Options) { o.Log = nil })
	f.ns("n")
	f.snapshots("n", "t", 2000)
	for _, c := range []struct{ name, query, accepts string }{
		{"all", "", "identity"}, {"all,gzip", "", "gzip"},
		{"refs", "?snapshots=refs", "identity"}, {"refs,gzip", "?snapshots=refs", "gzip"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var w measured
			for b.Loop() {
				w = measured{header: http.Header{}}
				r := httptest.NewRequest("GET", tablePath+c.query, nil)
				r.Header.Set("Accept-Encoding", c.accepts)
				f.handler.ServeHTTP(&w, r)
			}
			b.ReportMetric(float64(w.bytes), "bytes/answer")
		})
	}
}

// measured is a response of which only the length is known.
type measured struct {
	header http.Header
	bytes  int
}

func (c *measured) Header() http.Header         { return c.header }
func (c *measured) Write(p []byte) (int, error) { c.bytes += len(p); return len(p), nil }
func (c *measured) WriteHeader(int)             {}
