package rest

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// How far the archive is stands in the status and the metrics. One that is late is a
// warning, one that has stopped is critical, and one that is off is neither.
func TestArchiveIsTold(t *testing.T) {
	broken := errors.New("the bucket is gone")
	for _, test := range []struct {
		archive  Archive
		warnings int
		critical bool
		metrics  []string
	}{
		{Archive{Mode: "off"}, 0, false, nil},
		{Archive{Mode: "sync", Seq: 1}, 0, false, []string{"puddle_archive_behind_events 0", "puddle_archive_lag_seconds 0", "puddle_archive_sealed_seq 1"}},
		{Archive{Mode: "async", Since: epoch.Add(-time.Hour), Err: broken, Failed: 3}, 1, false, []string{"puddle_archive_behind_events 1", "puddle_archive_lag_seconds 36", "puddle_archive_failures_total 3", "puddle_archive_stopped 0"}},
		{Archive{Mode: "async", Seq: 1, Err: broken, Stopped: true}, 1, true, []string{"puddle_archive_stopped 1"}},
	} {
		f := serve(t, func(o *Options) {
			o.Metrics = NewMetrics("x")
			o.Warehouses[0].Archive = func() Archive { return test.archive }
		})
		s := f.status()
		if len(s.Warnings) != test.warnings || test.warnings > 0 && (s.Warnings[0].Critical != test.critical || !strings.Contains(s.Warnings[0].Message, broken.Error())) {
			t.Errorf("%+v: warnings %+v", test.archive, s.Warnings)
		}
		metrics := string(f.must(200, f.do("GET", "/metrics", "")).body)
		for _, line := range test.metrics {
			name, value, _ := strings.Cut(line, " ")
			if !strings.Contains(metrics, name+`{warehouse="default"} `+value) {
				t.Errorf("%+v: %s is missing from\n%s", test.archive, line, metrics)
			}
		}
		if test.metrics == nil && strings.Contains(metrics, "puddle_archive_") {
			t.Errorf("%+v: metrics", test.archive)
		}
	}
}
