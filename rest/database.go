package rest

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Database is how this server uses its connections to the database.
type Database struct {
	Limit       int           // how many there may be
	InUse, Idle int           // how many there are
	Waits       int64         // times that one had to be waited for, since the start
	Waited      time.Duration // and how long, together
	GivenUp     int64         // times that one was waited for in vain
}

// databaseGauges looks at each scrape.
type databaseGauges struct {
	look                                        func() Database
	connections, limit, waits, waited, givenUps *prometheus.Desc
}

func newDatabaseGauges(look func() Database) databaseGauges {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return databaseGauges{
		look:        look,
		connections: desc("puddle_database_connections", "Connections to the database: in-use or idle.", "state"),
		limit:       desc("puddle_database_connections_limit", "How many connections there may be (metastore.postgresql.max-connections)."),
		waits:       desc("puddle_database_connection_waits_total", "Times that a connection had to be waited for."),
		waited:      desc("puddle_database_connection_wait_seconds_total", "How long connections were waited for, together."),
		givenUps:    desc("puddle_database_connection_timeouts_total", "Times that a connection was waited for in vain: the request was refused, to be tried again."),
	}
}

// Describe implements prometheus.Collector.
func (g databaseGauges) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{g.connections, g.limit, g.waits, g.waited, g.givenUps} {
		to <- desc
	}
}

// Collect implements prometheus.Collector.
func (g databaseGauges) Collect(to chan<- prometheus.Metric) {
	d := g.look()
	value := func(desc *prometheus.Desc, kind prometheus.ValueType, n float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, kind, n, labels...)
	}
	value(g.connections, prometheus.GaugeValue, float64(d.InUse), "in-use")
	value(g.connections, prometheus.GaugeValue, float64(d.Idle), "idle")
	value(g.limit, prometheus.GaugeValue, float64(d.Limit))
	value(g.waits, prometheus.CounterValue, float64(d.Waits))
	value(g.waited, prometheus.CounterValue, d.Waited.Seconds())
	value(g.givenUps, prometheus.CounterValue, float64(d.GivenUp))
}
