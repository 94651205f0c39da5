package rest

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"puddle/journal"
)

// lookTime bounds how long looking at a warehouse, or at files, may hold up a
// scrape.
const lookTime = 2 * time.Second

// warehouseGauges looks at each scrape how far a warehouse's journal is, and
// what follows it. What cannot be read shows no value.
type warehouseGauges struct {
	warehouse                *Warehouse
	now                      func() time.Time
	head, tables             *prometheus.Desc
	anchor, anchorLag        *prometheus.Desc
	anchorFailures           *prometheus.Desc
	kept, keptHits, keptMiss *prometheus.Desc
	proven                   *prometheus.Desc
}

func newWarehouseGauges(w *Warehouse, now func() time.Time) warehouseGauges {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, prometheus.Labels{"warehouse": w.Name})
	}
	return warehouseGauges{
		warehouse: w, now: now,
		head:           desc("puddle_journal_head_seq", "The seq of the journal's newest event."),
		tables:         desc("puddle_tables_behind_events", "Events that the journal has and the pointer tables lack."),
		anchor:         desc("puddle_anchor_behind_events", "Events that the journal has and the anchor in the warehouse (_puddle/head.json) lacks."),
		anchorLag:      desc("puddle_anchor_lag_seconds", "How long the oldest event that the anchor lacks has waited."),
		anchorFailures: desc("puddle_anchor_failures_total", "Failures to write the anchor."),
		kept:           desc("puddle_documents_bytes", "About what documents and their forms take in memory."),
		keptHits:       desc("puddle_documents_hits_total", "Documents and forms that were found in memory."),
		keptMiss:       desc("puddle_documents_misses_total", "Documents and forms that were not found in memory."),
		proven:         desc("puddle_verify_last_success_timestamp_seconds", "When verify, over everything, last found nothing up to this level.", "level"),
	}
}

// Describe implements prometheus.Collector.
func (g warehouseGauges) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{g.head, g.tables, g.anchor, g.anchorLag, g.anchorFailures, g.kept, g.keptHits, g.keptMiss, g.proven} {
		to <- desc
	}
}

// Collect implements prometheus.Collector.
func (g warehouseGauges) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	value := func(desc *prometheus.Desc, kind prometheus.ValueType, n float64) {
		to <- prometheus.MustNewConstMetric(desc, kind, n)
	}
	w := g.warehouse
	if w.Catalog != nil {
		kept := w.Catalog.Kept()
		value(g.kept, prometheus.GaugeValue, float64(kept.Bytes))
		value(g.keptHits, prometheus.CounterValue, float64(kept.Hits))
		value(g.keptMiss, prometheus.CounterValue, float64(kept.Misses))
	}
	if w.Proofs != nil {
		for _, p := range w.Proofs() {
			to <- prometheus.MustNewConstMetric(g.proven, prometheus.GaugeValue, float64(p.At.Unix()), strconv.Itoa(p.Level))
		}
	}
	tables := g.cursor(ctx) // before the head, so that it is not ahead of it
	head, err := w.Journal.Head(ctx)
	if err != nil {
		return
	}
	value(g.head, prometheus.GaugeValue, float64(head.Seq))
	if tables != nil {
		value(g.tables, prometheus.GaugeValue, float64(behind(*tables, head.Seq)))
	}
	if a := w.anchored(head.Seq, g.now()); a != nil {
		value(g.anchor, prometheus.GaugeValue, float64(a.Behind))
		value(g.anchorLag, prometheus.GaugeValue, a.Lag)
		value(g.anchorFailures, prometheus.CounterValue, float64(a.Failed))
	}
}

// cursor is how far the pointer tables are; nil when nobody knows.
func (g warehouseGauges) cursor(ctx context.Context) *journal.Seq {
	if g.warehouse.Cursor == nil {
		return nil
	}
	cursor, err := g.warehouse.Cursor(ctx)
	if err != nil {
		return nil
	}
	return &cursor.Seq
}
