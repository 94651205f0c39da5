package rest

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// archiveGauges looks at each scrape how far a warehouse's archive is. Without one it
// shows nothing.
type archiveGauges struct {
	warehouse                             *Warehouse
	now                                   func() time.Time
	sealed, behind, lag, failures, halted *prometheus.Desc
}

func newArchiveGauges(w *Warehouse, now func() time.Time) archiveGauges {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, nil, prometheus.Labels{"warehouse": w.Name})
	}
	return archiveGauges{
		warehouse: w, now: now,
		sealed:   desc("puddle_archive_sealed_seq", "The seq of the newest event in the archive; 0 until it was looked at."),
		behind:   desc("puddle_archive_behind_events", "Events that the journal has and the archive in the warehouse (_puddle/journal) lacks."),
		lag:      desc("puddle_archive_lag_seconds", "How long the oldest event that the archive lacks has waited."),
		failures: desc("puddle_archive_failures_total", "Failures to seal events into the archive."),
		halted:   desc("puddle_archive_stopped", "1 when nothing is archived until somebody does something."),
	}
}

// Describe implements prometheus.Collector.
func (g archiveGauges) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{g.sealed, g.behind, g.lag, g.failures, g.halted} {
		to <- desc
	}
}

// Collect implements prometheus.Collector.
func (g archiveGauges) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	if g.warehouse.Archive == nil {
		return
	}
	head, err := g.warehouse.Journal.Head(ctx)
	if err != nil {
		return
	}
	s := g.warehouse.archived(head.Seq, g.now())
	if s.Mode == "off" {
		return
	}
	value := func(desc *prometheus.Desc, kind prometheus.ValueType, n float64) {
		to <- prometheus.MustNewConstMetric(desc, kind, n)
	}
	value(g.sealed, prometheus.GaugeValue, float64(s.Seq))
	value(g.behind, prometheus.GaugeValue, float64(s.Behind))
	value(g.lag, prometheus.GaugeValue, s.Lag)
	value(g.failures, prometheus.CounterValue, float64(s.Failed))
	stopped := 0.0
	if s.Stopped {
		stopped = 1
	}
	value(g.halted, prometheus.GaugeValue, stopped)
}
