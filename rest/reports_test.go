package rest

import (
	"strings"
	"testing"
)

// Reports of engines are taken, also of kinds to come, and counted; those that
// are none and those of no table are refused.
func TestReportMetrics(t *testing.T) {
	f := serve(t, func(o *Options) { o.Metrics = NewMetrics("test") })
	f.ns("n")
	f.table("n", "t")
	for _, body := range []string{
		`{"report-type":"scan-report","table-name":"n.t","snapshot-id":1,"filter":true,"schema-id":0,"projected-field-ids":[1],
			"projected-field-names":["id"],"metrics":{"total-planning-duration":{"count":1,"time-unit":"nanoseconds","total-duration":5}}}`,
		`{"report-type":"commit-report","table-name":"n.t","snapshot-id":1,"sequence-number":1,"operation":"append","metrics":{}}`,
		`{"report-type":"moon-report","phase":"full"}`, `{"report-type":"sun-report"}`,
	} {
		if a := f.must(204, f.do("POST", tablePath+"/metrics", body)); len(a.body) != 0 {
			t.Errorf("%s", a.body)
		}
	}
	text := string(f.do("GET", "/metrics", "").body)
	for _, line := range []string{
		`puddle_reports_total{kind="scan-report",warehouse="default"} 1`, `puddle_reports_total{kind="commit-report",warehouse="default"} 1`,
		`puddle_reports_total{kind="other",warehouse="default"} 2`,
	} {
		if !strings.Contains(text, line) {
			t.Errorf("%s is not among the metrics", line)
		}
	}
	for _, body := range []string{``, `[]`, `{}`, `{"report-type":1}`, `{"report-type":"scan-report","metrics":[]}`, `{"Report-Type":"scan-report"}`, `{"report-type":"scan-report","table-name":5}`} {
		f.fails(f.do("POST", tablePath+"/metrics", body), 400, "BadRequestException")
	}
	f.fails(f.do("POST", v1+"/namespaces/n/tables/x/metrics", `{"report-type":"scan-report"}`), 404, "NoSuchTableException")
	equal(t, "events", len(f.events("")), 3)
}
