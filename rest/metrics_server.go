package rest

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// serverGauges looks at each scrape how the server is. What cannot be read shows
// no value.
type serverGauges struct {
	server                           *server
	ready, state, waiting            *prometheus.Desc
	bodies, bodiesMax                *prometheus.Desc
	fileBytes, fileFree              *prometheus.Desc
	diskFree, diskLeast, diskUnknown *prometheus.Desc
}

func newServerGauges(s *server) serverGauges {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return serverGauges{
		server:      s,
		ready:       desc("puddle_ready", "1 when /readyz answers 200, else 0."),
		state:       desc("puddle_writer_state", "1 for the state that the writer is in, 0 for the others.", "state"),
		waiting:     desc("puddle_recorder_waiting_drafts", "Changes that have no outcome yet."),
		bodies:      desc("puddle_http_request_bodies_in_flight_bytes", "Bytes of request bodies in work, of which there may be so many and no more."),
		bodiesMax:   desc("puddle_http_request_bodies_in_flight_limit_bytes", "How many bytes of request bodies may be in work (server.max-inflight-bytes)."),
		fileBytes:   desc("puddle_file_bytes", "Size of what is kept: journal, tables and tables-log, or database.", "file"),
		fileFree:    desc("puddle_file_free_bytes", "Of puddle_file_bytes, what holds nothing and will be used first.", "file"),
		diskFree:    desc("puddle_disk_free_bytes", "What is free on the disk below each place.", "disk"),
		diskLeast:   desc("puddle_disk_least_bytes", "Below so many free bytes the disk counts as nearly full.", "disk"),
		diskUnknown: desc("puddle_disk_unknown", "1 while nobody knows what is free on the disk, else 0.", "disk"),
	}
}

// Describe implements prometheus.Collector.
func (g serverGauges) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{
		g.ready, g.state, g.waiting, g.bodies, g.bodiesMax, g.fileBytes, g.fileFree, g.diskFree, g.diskLeast, g.diskUnknown,
	} {
		to <- desc
	}
}

// Collect implements prometheus.Collector.
func (g serverGauges) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	value := func(desc *prometheus.Desc, n int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(n), labels...)
	}
	ready := g.server.ready(ctx) == nil
	value(g.ready, one(ready))
	w := g.server.writing(ready)
	for _, state := range writerStates {
		value(g.state, one(state == w.State), string(state))
	}
	value(g.waiting, int64(w.Waiting))
	value(g.bodies, g.server.bodies.used.Load())
	value(g.bodiesMax, g.server.bodies.max)
	if g.server.Room != nil {
		g.room(g.server.Room(ctx), value)
	}
}

func (g serverGauges) room(r Room, value func(*prometheus.Desc, int64, ...string)) {
	for _, f := range r.Files {
		value(g.fileBytes, f.Bytes, f.Name)
		value(g.fileFree, f.Free, f.Name)
	}
	for _, d := range r.Disks {
		value(g.diskUnknown, one(d.Err != nil), d.Name)
		if d.Err == nil {
			value(g.diskFree, d.Free, d.Name)
			value(g.diskLeast, d.Least, d.Name)
		}
	}
}

// one is 1 for what is so.
func one(so bool) int64 {
	if so {
		return 1
	}
	return 0
}
