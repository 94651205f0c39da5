package rest

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// purgeGauges looks at a warehouse's purges at each scrape: at those that wait,
// and at what the job has done, if it runs here. What cannot be read shows no
// value.
type purgeGauges struct {
	warehouse                    *Warehouse
	now                          func() time.Time
	pending, due, closed, failed *prometheus.Desc
	files, bytes                 *prometheus.Desc
}

func newPurgeGauges(w *Warehouse, now func() time.Time) purgeGauges {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, prometheus.Labels{"warehouse": w.Name})
	}
	return purgeGauges{
		warehouse: w, now: now,
		pending: desc("puddle_purges_pending", "Dropped tables whose files are to be removed."),
		due:     desc("puddle_purges_due", "Of the pending purges, those whose grace has ended."),
		closed:  desc("puddle_purges_total", "Purges that were closed."),
		failed:  desc("puddle_purge_stopped", "1 while purging cannot go on; the log says why."),
		files:   desc("puddle_purge_files_total", "Files that purges reached by what became of them: removed, kept or failed.", "result"),
		bytes:   desc("puddle_purge_bytes_total", "Bytes of the files that purges removed."),
	}
}

// Describe implements prometheus.Collector.
func (g purgeGauges) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{g.pending, g.due, g.closed, g.failed, g.files, g.bytes} {
		to <- desc
	}
}

// Collect implements prometheus.Collector.
func (g purgeGauges) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	value := func(desc *prometheus.Desc, kind prometheus.ValueType, n int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, kind, float64(n), labels...)
	}
	if pending, err := g.warehouse.pending(ctx, g.now()); err == nil {
		value(g.pending, prometheus.GaugeValue, pending.all)
		value(g.due, prometheus.GaugeValue, pending.due)
	}
	if g.warehouse.Purging == nil {
		return
	}
	p := g.warehouse.Purging()
	value(g.closed, prometheus.CounterValue, p.Tables)
	value(g.files, prometheus.CounterValue, p.Files.Removed, "removed")
	value(g.files, prometheus.CounterValue, p.Files.Kept, "kept")
	value(g.files, prometheus.CounterValue, p.Files.Failed, "failed")
	value(g.bytes, prometheus.CounterValue, p.Files.Bytes)
	value(g.failed, prometheus.GaugeValue, one(p.Err != nil))
}
