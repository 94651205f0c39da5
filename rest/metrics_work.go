package rest

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"puddle/rest/access/vended"
)

// work is what is measured of the server beside its requests and its recorder.
type work struct {
	store       *prometheus.HistogramVec
	failures    *prometheus.CounterVec // of it
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
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "puddle_store_failures_total", Help: "Operations of the warehouse's storage, or of an external warehouse's, that failed by why: denied, no-bucket or failed.",
		}, []string{"warehouse", "operation", "reason", "external"}),
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
	return []prometheus.Collector{w.store, w.failures, w.checkpoints, w.catchUps, w.verifies, w.replaced, w.vended, w.issuing}
}

// StoreTimes are told how long each operation of a warehouse's storage took, and which
// failed. Safe for concurrent use.
type StoreTimes struct {
	Get, Stat, Create, Put, Delete func(time.Duration)
	Failed                         func(StoreOperation, StoreFailure)
}

// StoreOperation is one of those that StoreTimes are told of.
type StoreOperation string

// The operations.
const (
	StoreGet    StoreOperation = "get"
	StoreStat   StoreOperation = "stat"
	StoreCreate StoreOperation = "create"
	StorePut    StoreOperation = "put"
	StoreDelete StoreOperation = "delete"
)

// StoreFailure is why one failed.
type StoreFailure string

// The reasons.
const (
	StoreDenied   StoreFailure = "denied"    // access is refused
	StoreNoBucket StoreFailure = "no-bucket" // it is not there
	StoreFailed   StoreFailure = "failed"    // all else
)

// Store is whom to tell of a warehouse's storage.
func (m *Metrics) Store(warehouse string) StoreTimes { return m.store(warehouse, false) }

// ExternalStore is whom to tell of an external warehouse's. What it refuses is told apart:
// whoever may register can ask it for what it does not give.
func (m *Metrics) ExternalStore(name string) StoreTimes { return m.store(name, true) }

func (m *Metrics) store(name string, external bool) StoreTimes {
	failed := map[StoreOperation]map[StoreFailure]prometheus.Counter{}
	told := func(operation StoreOperation) func(time.Duration) {
		if m == nil {
			return func(time.Duration) {}
		}
		failed[operation] = map[StoreFailure]prometheus.Counter{}
		for _, reason := range []StoreFailure{StoreDenied, StoreNoBucket, StoreFailed} {
			failed[operation][reason] = m.work.failures.WithLabelValues(name, string(operation), string(reason), strconv.FormatBool(external))
		}
		seconds := m.work.store.WithLabelValues(name, string(operation))
		return func(took time.Duration) { seconds.Observe(took.Seconds()) }
	}
	return StoreTimes{told(StoreGet), told(StoreStat), told(StoreCreate), told(StorePut), told(StoreDelete), func(operation StoreOperation, reason StoreFailure) {
		if counter := failed[operation][reason]; counter != nil {
			counter.Inc()
		}
	}}
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
