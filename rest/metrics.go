package rest

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"
)

// Metrics counts what the server does. Labels have few values, all known
// beforehand: routes are templates, warehouses those of the configuration. Safe
// for concurrent use. A nil Metrics counts nothing.
type Metrics struct {
	registry *prometheus.Registry

	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	inFlight  prometheus.Gauge
	bytesIn   prometheus.Counter
	bytesOut  prometheus.Counter
	commits   *prometheus.CounterVec
	reports   *prometheus.CounterVec

	groupDrafts prometheus.Histogram
	groupBytes  prometheus.Counter
	drafts      *prometheus.CounterVec
	steps       *prometheus.HistogramVec

	work work

	mu       sync.RWMutex
	children map[series]*counted // guarded by mu
}

// series is one kind of request and its outcome.
type series struct {
	route, method string
	status        int
}

// counted are the label children of a series, found once.
type counted struct {
	requests prometheus.Counter
	duration prometheus.Observer
}

// NewMetrics has a registry of its own. version is the build's.
func NewMetrics(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), work: newWork(), children: map[series]*counted{}}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "puddle_build_info", Help: "Always 1; the label is the version of the build.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.requestMetrics()
	m.recorderMetrics()
	m.registry.MustRegister(build, m.requests, m.durations, m.inFlight, m.bytesIn, m.bytesOut, m.commits, m.reports,
		m.groupDrafts, m.groupBytes, m.drafts, m.steps,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(m.work.collectors()...)
	return m
}

func (m *Metrics) requestMetrics() {
	m.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "puddle_http_requests_total", Help: "Requests answered.",
	}, []string{"route", "method", "status"})
	m.durations = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "puddle_http_request_duration_seconds", Help: "From the first byte of a request to the last of its answer.",
		Buckets: prometheus.ExponentialBuckets(0.00025, 2, 18),
	}, []string{"route", "method", "class"})
	m.inFlight = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "puddle_http_requests_in_flight", Help: "Requests that are being answered.",
	})
	m.bytesIn = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "puddle_http_request_body_bytes_total", Help: "Bytes of request bodies read, inflated.",
	})
	m.bytesOut = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "puddle_http_response_body_bytes_total", Help: "Bytes of response bodies sent.",
	})
	m.commits = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "puddle_commits_total", Help: "Commits to tables by what came of them: done, conflict, refused, busy, full or unknown.",
	}, []string{"warehouse", "result"})
	m.reports = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "puddle_reports_total", Help: "Reports of engines about tables by kind: scan-report, commit-report or other.",
	}, []string{"warehouse", "kind"})
}

func (m *Metrics) recorderMetrics() {
	m.groupDrafts = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "puddle_recorder_group_drafts", Help: "Drafts recorded together.",
		Buckets: prometheus.ExponentialBuckets(1, 2, 10),
	})
	m.groupBytes = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "puddle_journal_bytes_total", Help: "Bytes that groups added to the journal.",
	})
	m.drafts = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "puddle_recorder_drafts_total", Help: "Drafts by what came of them: recorded, refused, failed (surely not recorded) or unknown.",
	}, []string{"result"})
	for _, result := range []string{"recorded", "refused", "failed", "unknown"} {
		m.drafts.WithLabelValues(result)
	}
	m.steps = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "puddle_recorder_step_duration_seconds", Help: "How long a group took in each step: apply, append or commit.",
		Buckets: prometheus.ExponentialBuckets(0.00005, 2, 18),
	}, []string{"step"})
	for _, step := range []string{"apply", "append", "commit"} {
		m.steps.WithLabelValues(step)
	}
}

// Group is one group of the recorder as metrics see it.
type Group struct {
	Drafts, Recorded, Refused, Unknown int
	Bytes                              int
	Apply, Append, Commit              time.Duration
}

// Recorded counts a group. It does not block.
func (m *Metrics) Recorded(g Group) {
	if m == nil {
		return
	}
	m.groupDrafts.Observe(float64(g.Drafts))
	m.groupBytes.Add(float64(g.Bytes))
	m.drafts.WithLabelValues("recorded").Add(float64(g.Recorded))
	m.drafts.WithLabelValues("refused").Add(float64(g.Refused))
	m.drafts.WithLabelValues("unknown").Add(float64(g.Unknown))
	m.drafts.WithLabelValues("failed").Add(float64(max(0, g.Drafts-g.Recorded-g.Refused-g.Unknown)))
	m.steps.WithLabelValues("apply").Observe(g.Apply.Seconds())
	m.steps.WithLabelValues("append").Observe(g.Append.Seconds())
	m.steps.WithLabelValues("commit").Observe(g.Commit.Seconds())
}

func (m *Metrics) began() {
	if m != nil {
		m.inFlight.Inc()
	}
}

// done counts an answered request.
func (m *Metrics) done(r Request, commits bool) {
	if m == nil {
		return
	}
	m.inFlight.Dec()
	m.bytesIn.Add(float64(r.BytesIn))
	m.bytesOut.Add(float64(r.BytesOut))
	c := m.of(series{routeLabel(r.Route), methodLabel(r.Method), r.Status})
	c.requests.Inc()
	c.duration.Observe(r.Duration.Seconds())
	if commits && r.Warehouse != "" {
		m.commits.WithLabelValues(r.Warehouse, commitResult(r.Status)).Inc()
	}
}

// reported counts a report of an engine.
func (m *Metrics) reported(warehouse, kind string) {
	if m == nil {
		return
	}
	if kind != "scan-report" && kind != "commit-report" {
		kind = "other"
	}
	m.reports.WithLabelValues(warehouse, kind).Inc()
}

func (m *Metrics) of(s series) *counted {
	m.mu.RLock()
	known := m.children[s]
	m.mu.RUnlock()
	if known != nil {
		return known
	}
	c := &counted{
		requests: m.requests.WithLabelValues(s.route, s.method, strconv.Itoa(s.status)),
		duration: m.durations.WithLabelValues(s.route, s.method, strconv.Itoa(s.status/100)+"xx"),
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.children[s] = c
	return c
}

func routeLabel(template string) string {
	if template == "" {
		return "none"
	}
	return template
}

func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete:
		return method
	}
	return "other"
}

// commitResults are counted from the start on, so that the first of a kind is
// seen as one more.
var commitResults = []string{"done", "conflict", "refused", "busy", "full", "unknown"}

func commitResult(status int) string {
	switch {
	case status < 300:
		return "done"
	case status == http.StatusConflict:
		return "conflict"
	case status == http.StatusTooManyRequests:
		return "busy"
	case status == http.StatusInsufficientStorage:
		return "full"
	case status < 500:
		return "refused"
	}
	return "unknown"
}

// watch looks at a server and its warehouses when asked, and no more at the one
// that was starting before; at purges by the clock that dates drops.
func (m *Metrics) watch(s *server) {
	gauges := newServerGauges(s)
	m.registry.Unregister(gauges)
	m.registry.MustRegister(gauges)
	if s.Database != nil {
		m.registry.MustRegister(newDatabaseGauges(s.Database))
	}
	for i := range s.Warehouses {
		w := &s.Warehouses[i]
		m.registry.MustRegister(newWarehouseGauges(w, s.Now), newArchiveGauges(w, s.Now), newPurgeGauges(w, s.Now), newSidecarGauges(w, s.Now))
		for _, result := range commitResults {
			m.commits.WithLabelValues(w.Name, result)
		}
		m.Vending(w.Name)
	}
}

// show answers GET /metrics.
func (m *Metrics) show(c *call) (reply, error) {
	families, err := m.registry.Gather()
	if err != nil && len(families) == 0 {
		return reply{}, err
	}
	format := expfmt.NewFormat(expfmt.TypeTextPlain)
	var text bytes.Buffer
	encoder := expfmt.NewEncoder(&text, format)
	for _, family := range families {
		if err := encoder.Encode(family); err != nil {
			return reply{}, err
		}
	}
	return reply{
		status: http.StatusOK, headers: map[string]string{"Content-Type": string(format)},
		body: [][]byte{text.Bytes()},
	}, nil
}
