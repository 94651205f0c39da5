package rest

import (
	"strings"
	"testing"
	"time"
)

func TestMetrics(t *testing.T) {
	f := serve(t, func(o *Options) { o.Metrics = NewMetrics("1.2.3") })
	f.ns("n")
	f.table("n", "t")
	f.must(200, f.do("POST", v1+"/namespaces/n/tables/t", `{"updates":[{"action":"set-properties","updates":{"a":"b"}}]}`))
	f.must(409, f.do("POST", v1+"/namespaces/n/tables/t", `{"requirements":[{"type":"assert-create"}],"updates":[]}`))
	f.must(400, f.do("POST", v1+"/namespaces/n/tables/t", `{`))
	for _, path := range []string{"/x", "/y", v1 + "/z"} {
		f.must(404, f.do("BREW", path, ""))
	}
	f.options.Metrics.Recorded(Group{Drafts: 3, Recorded: 1, Refused: 1, Bytes: 10, Append: time.Millisecond})
	f.options.Metrics.Store("default").Create(2 * time.Millisecond)
	f.options.Metrics.Store("default").Failed(StorePut, StoreDenied)
	f.options.Metrics.ExternalStore("old").Failed(StoreGet, StoreDenied)
	f.options.Metrics.JournalReplaced()
	a := f.must(200, f.do("GET", "/metrics", ""))
	if got := a.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/plain") {
		t.Errorf("content type %q", got)
	}
	for _, line := range []string{
		`puddle_build_info{version="1.2.3"} 1`,
		`puddle_http_requests_total{method="POST",route="/api/catalog/v1/{prefix}/namespaces",status="200"} 1`,
		`puddle_http_requests_total{method="other",route="none",status="404"} 3`,
		`puddle_http_request_duration_seconds_count{class="2xx",method="POST",route="/api/catalog/v1/{prefix}/namespaces/{namespace}/tables/{table}"} 1`,
		`puddle_http_request_duration_seconds_count{class="4xx",method="POST",route="/api/catalog/v1/{prefix}/namespaces/{namespace}/tables/{table}"} 2`,
		`puddle_http_requests_in_flight 1`,
		`puddle_commits_total{result="done",warehouse="default"} 1`,
		`puddle_commits_total{result="conflict",warehouse="default"} 1`,
		`puddle_commits_total{result="refused",warehouse="default"} 1`,
		`puddle_journal_head_seq{warehouse="default"} 4`,
		`puddle_journal_bytes_total 10`,
		`puddle_recorder_drafts_total{result="failed"} 1`,
		`puddle_recorder_group_drafts_sum 3`,
		`puddle_recorder_step_duration_seconds_count{step="append"} 1`,
		`puddle_store_operation_duration_seconds_sum{operation="create",warehouse="default"} 0.002`,
		`puddle_store_failures_total{external="false",operation="put",reason="denied",warehouse="default"} 1`,
		`puddle_store_failures_total{external="true",operation="get",reason="denied",warehouse="old"} 1`,
		`puddle_store_failures_total{external="false",operation="get",reason="no-bucket",warehouse="default"} 0`,
		`puddle_journal_replaced_total 1`,
	} {
		if !strings.Contains(string(a.body), line+"\n") {
			t.Errorf("%s is missing from\n%s", line, a.body)
		}
	}
}

func TestWithoutMetrics(t *testing.T) {
	f := serve(t, nil)
	f.fails(f.do("GET", "/metrics", ""), 404, "NoSuchEndpointException")
	var none *Metrics
	none.Recorded(Group{})
	none.Checkpointed(1)
	none.CaughtUp(1)
	none.Verified(1)
	none.JournalReplaced()
	none.Store("w").Get(1)
	none.Store("w").Failed(StorePut, StoreDenied)
}
