package rest

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// lookTime bounds how long asking a journal for its head may hold up a scrape.
const lookTime = 2 * time.Second

// headGauge asks a warehouse's journal for its head at each scrape. A journal
// that cannot be read shows no value.
type headGauge struct {
	warehouse *Warehouse
	desc      *prometheus.Desc
}

func newHeadGauge(w *Warehouse) headGauge {
	return headGauge{w, prometheus.NewDesc("puddle_journal_head_seq",
		"The seq of the journal's newest event.", nil, prometheus.Labels{"warehouse": w.Name})}
}

// Describe implements prometheus.Collector.
func (g headGauge) Describe(to chan<- *prometheus.Desc) { to <- g.desc }

// Collect implements prometheus.Collector.
func (g headGauge) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	if head, err := g.warehouse.Journal.Head(ctx); err == nil {
		to <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, float64(head.Seq))
	}
}
