package rest

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"puddle/rest/access/vended"
)

// work is what is measured of the server beside its requests and its recorder.
type work struct {
	store       *prometheus.HistogramVec
	checkpoints prometheus.Histogram
	catchUps    prometheus.Histogram
	verifies    prometheus.Histogram
	replaced    prometheus.Counter
	vended      *prometheus.CounterVec
	issuing     *prometheus.HistogramVec
}

func newWork() work {
	const long = 0.001 // the first bucket of what may take an hour
	timed := func(name, help string) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(long, 4, 12)})
	}
	return work{
		store: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "puddle_store_operation_duration_seconds", Help: "How long the warehouse's storage took: get, stat, create, put or delete of a file.",
			Buckets: prometheus.ExponentialBuckets(0.00001, 2, 20),
		}, []string{"warehouse", "operation"}),
		checkpoints: timed("puddle_tables_checkpoint_duration_seconds", "How long it took to move the log of the pointer tables into their file."),
		catchUps:    timed("puddle_tables_catch_up_duration_seconds", "How long it took to bring the pointer tables up to the journal, at the start and since."),
		verifies:    timed("puddle_verify_duration_seconds", "How long verify took in this server."),
		replaced: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "puddle_journal_replaced_total", Help: "Syncs of the journal that failed, after which a proven copy took its place.",
		}),
		vended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "puddle_vended_credentials_total", Help: "Credentials that clients asked for by what came of it: issued, cached, refused or failed.",
		}, []string{"warehouse", "result"}),
		issuing: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "puddle_vended_credentials_issue_duration_seconds", Help: "How long it took STS to make credentials, or to fail.",
			Buckets: prometheus.ExponentialBuckets(long, 2, 15),
		}, []string{"warehouse"}),
	}
}

func (w work) collectors() []prometheus.Collector {
	return []prometheus.Collector{w.store, w.checkpoints, w.catchUps, w.verifies, w.replaced, w.vended, w.issuing}
}

// StoreTimes are told how long each operation of a warehouse's storage took. Safe
// for concurrent use.
type StoreTimes struct{ Get, Stat, Create, Put, Delete func(time.Duration) }

// Store is whom to tell of a warehouse's storage.
func (m *Metrics) Store(warehouse string) StoreTimes {
	told := func(operation string) func(time.Duration) {
		if m == nil {
			return func(time.Duration) {}
		}
		seconds := m.work.store.WithLabelValues(warehouse, operation)
		return func(took time.Duration) { seconds.Observe(took.Seconds()) }
	}
	return StoreTimes{told("get"), told("stat"), told("create"), told("put"), told("delete")}
}

// Vending is whom to tell of credentials for tables in a warehouse, or in an external one:
// of each answer, and of how long each took that was made.
func (m *Metrics) Vending(warehouse string) (asked func(vended.Outcome), took func(time.Duration)) {
	if m == nil {
		return nil, nil
	}
	answers := map[vended.Outcome]prometheus.Counter{}
	for _, outcome := range vended.Outcomes() {
		answers[outcome] = m.work.vended.WithLabelValues(warehouse, string(outcome))
	}
	seconds := m.work.issuing.WithLabelValues(warehouse)
	return func(o vended.Outcome) { answers[o].Inc() }, func(t time.Duration) { seconds.Observe(t.Seconds()) }
}

// Checkpointed counts a checkpoint of the pointer tables.
func (m *Metrics) Checkpointed(took time.Duration) {
	if m != nil {
		m.work.checkpoints.Observe(took.Seconds())
	}
}

// CaughtUp counts that the pointer tables were brought up to the journal.
func (m *Metrics) CaughtUp(took time.Duration) {
	if m != nil {
		m.work.catchUps.Observe(took.Seconds())
	}
}

// Verified counts a verification.
func (m *Metrics) Verified(took time.Duration) {
	if m != nil {
		m.work.verifies.Observe(took.Seconds())
	}
}

// JournalReplaced counts a journal whose place a proven copy took.
func (m *Metrics) JournalReplaced() {
	if m != nil {
		m.work.replaced.Inc()
	}
}
