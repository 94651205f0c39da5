package purge_test

import (
	"strings"
	"testing"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/rest/catalog/purge"
)

// external is a root that nobody writes to: who tries fails the test. Nor is it read, since
// nothing of a table in it is to be removed.
func external(t *testing.T, url string, files warehouse.Store) warehouse.Root {
	t.Helper()
	l, err := warehouse.ParseLocation(url)
	must(t, err)
	return warehouse.Root{URL: url, Location: l, External: "old", Store: faulty.New(files, func(op faulty.Op, key string) faulty.Fault {
		t.Errorf("%s %s", op, key)
		return faulty.Fault{}
	})}
}

// The purge of a table in an external warehouse is closed, leaves everything and says why.
func TestPurgeOfExternal(t *testing.T) {
	w := fresh(t)
	dead := plain("dead", root+"/old/a")
	w.dropped(t, dead)
	before := w.left(t)
	w.clock.now = w.clock.now.Add(w.grace)
	o := w.options(t)
	narrow, err := warehouse.ParseLocation(root + "/in")
	must(t, err)
	o.Roots = warehouse.Roots{{URL: root + "/in", Location: narrow, Store: below{w.files, "in/"}}}
	o.Externals = warehouse.Roots{external(t, root+"/old", below{w.files, "old/"})}
	outcome := outcomes(t, o, 1)[0]
	if outcome.Result != purge.Closed || outcome.Report.Removed != 0 {
		t.Errorf("ended %s: %v, %+v", outcome.Result, outcome.Err, outcome.Report)
	}
	w.wantLeft(t, before...)
	body := w.closing(t)
	if len(body.Report) != 1 || body.Report[0].Location != dead.current || !strings.Contains(body.Report[0].Reason, "external warehouse old, which is only read") {
		t.Errorf("closed by %+v", body)
	}
}

// Files in an external warehouse that a table of this one names stay.
func TestPurgeReachesExternal(t *testing.T) {
	w := fresh(t)
	dead := plain("dead", root+"/a")
	dead.manifests[dead.manifest] = append(dead.manifests[dead.manifest], "s3://old/lake/a/data/d.parquet")
	w.dropped(t, dead)
	w.clock.now = w.clock.now.Add(w.grace)
	o := w.options(t)
	o.Externals = warehouse.Roots{external(t, "s3://old/lake", w.files)}
	report := outcomes(t, o, 1)[0].Report
	if report.Kept != 1 || report.Findings[0].Location != "s3://old/lake/a/data/d.parquet" || report.Removed == 0 {
		t.Errorf("report %+v", report)
	}
}
