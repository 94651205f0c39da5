package rest

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"puddle/journal"
)

// Sidecars is how far the copy of the catalog is that lies in its warehouse, one
// small file an object.
type Sidecars struct {
	Seq    journal.Seq // all of them are as new as this event; 0 when nobody knows
	Behind uint64      // events that some of them may lack
	Oldest time.Time   // when the first of these happened; zero when there is none, or nobody knows
	Err    error       // why something could not be written the last time; nil: it could
	Failed int64       // failures since the start

	Elsewhere bool // another replica writes them; Seq is how far it says it is
}

// sidecarsStatus is the same as scripts read it.
type sidecarsStatus struct {
	Seq    journal.Seq `json:"seq"`
	Behind uint64      `json:"behind"` // events
	Age    int64       `json:"age"`    // seconds, of the oldest of them
	Failed int64       `json:"failed"`
	Error  string      `json:"error,omitempty"`

	Elsewhere bool `json:"elsewhere,omitzero"` // another replica writes them
}

// sidecars is nil for a warehouse that has none.
func (w *Warehouse) sidecars(now time.Time) *sidecarsStatus {
	if w.Sidecars == nil {
		return nil
	}
	is := w.Sidecars()
	s := &sidecarsStatus{Seq: is.Seq, Behind: is.Behind, Failed: is.Failed, Elsewhere: is.Elsewhere}
	if s.Behind > 0 && !is.Oldest.IsZero() {
		s.Age = max(0, int64(now.Sub(is.Oldest)/time.Second))
	}
	if is.Err != nil {
		s.Error = is.Err.Error()
	}
	return s
}

// tell warns of sidecars that are late.
func (s *sidecarsStatus) tell(b *statusBody, warehouse string) {
	const what = "catalog sidecars (_puddle/catalog) are late: "
	switch {
	case s == nil:
	case s.Error != "":
		b.warn(warehouse, what+s.Error)
	case s.Behind > 0 && s.Age >= int64(late/time.Second):
		b.warn(warehouse, what+lateFor(s.Behind, time.Duration(s.Age)*time.Second))
	}
}

// sidecarGauges looks at a warehouse's sidecars at each scrape.
type sidecarGauges struct {
	warehouse             *Warehouse
	now                   func() time.Time
	behind, age, failures *prometheus.Desc
}

func newSidecarGauges(w *Warehouse, now func() time.Time) sidecarGauges {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, nil, prometheus.Labels{"warehouse": w.Name})
	}
	return sidecarGauges{
		warehouse: w, now: now,
		behind:   desc("puddle_sidecars_behind_events", "Events that the journal has and some catalog sidecars may lack."),
		age:      desc("puddle_sidecars_age_seconds", "How long ago the oldest of these events happened."),
		failures: desc("puddle_sidecars_failures_total", "Failures to write catalog sidecars."),
	}
}

// Describe implements prometheus.Collector.
func (g sidecarGauges) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{g.behind, g.age, g.failures} {
		to <- desc
	}
}

// Collect implements prometheus.Collector.
func (g sidecarGauges) Collect(to chan<- prometheus.Metric) {
	s := g.warehouse.sidecars(g.now())
	if s == nil {
		return
	}
	to <- prometheus.MustNewConstMetric(g.behind, prometheus.GaugeValue, float64(s.Behind))
	to <- prometheus.MustNewConstMetric(g.age, prometheus.GaugeValue, float64(s.Age))
	to <- prometheus.MustNewConstMetric(g.failures, prometheus.CounterValue, float64(s.Failed))
}
