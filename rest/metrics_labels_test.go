package rest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	seriesLine = regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? \S+$`)
	labelPair  = regexp.MustCompile(`([a-z]+)="([^"]*)"`)
)

// Labels have few values, all known beforehand: whatever names, paths, methods and
// kinds clients send, no series is added once each thing was done once.
func TestMetricsLabelsAreFew(t *testing.T) {
	f := serve(t, func(o *Options) {
		o.Metrics = NewMetrics("x")
		o.Writer = func() Writer { return Writer{State: WriterRunning, Waiting: 3} }
		o.Room = func(context.Context) Room {
			return Room{Files: []FileRoom{{"journal", 10, 4}}, Disks: []DiskRoom{{Name: "data-dir", Free: 5, Least: 9}, {Name: "tables", Err: errors.New("no")}}}
		}
		for i := range o.Warehouses {
			w := &o.Warehouses[i]
			w.Anchor = func() Anchor { return Anchor{Seq: 1, Failed: 2} }
			w.Sidecars = func() Sidecars { return Sidecars{Seq: 1, Failed: 2} }
			w.Proofs = func() []Proof { return []Proof{{Level: 3, At: time.Unix(9, 0)}} }
			w.Purging = func() Purging { return Purging{} }
		}
	}, "default", "other")
	round := func(i int) []string {
		name := fmt.Sprintf("secret%d", i)
		f.ns(name)
		f.table(name, name)
		table := v1 + "/namespaces/" + name + "/tables/" + name
		f.must(200, f.do("GET", table, ""))
		f.must(200, f.do("POST", table, `{"updates":[{"action":"set-properties","updates":{"`+name+`":"b"}}]}`))
		f.must(404, f.do("GET", table+"x", ""))
		f.must(404, f.do("GET", "/api/catalog/v1/"+name+"/namespaces", ""))
		f.must(404, f.do(strings.ToUpper(name), "/"+name, ""))
		f.must(204, f.do("POST", table+"/metrics", `{"report-type":"`+name+`"}`))
		return f.series(name)
	}
	round(0) // the answer does not count itself
	first := round(1)
	for i := range 5 {
		if again := round(2 + i); !slices.Equal(first, again) {
			t.Fatalf("%d series became %d:\n%s", len(first), len(again), strings.Join(again, "\n"))
		}
	}
}

// series are the series that are shown, sorted; none holds the name.
func (f *fixture) series(name string) (all []string) {
	f.t.Helper()
	known := []string{"route", "method", "status", "warehouse", "result", "kind", "state", "step", "file", "disk", "level", "version", "class", "operation", "le", "quantile"}
	text := string(f.must(200, f.do("GET", "/metrics", "")).body)
	for _, found := range seriesLine.FindAllStringSubmatch(text, -1) {
		all = append(all, found[1]+"{"+found[2]+"}")
		for _, pair := range labelPair.FindAllStringSubmatch(found[2], -1) {
			if !slices.Contains(known, pair[1]) || strings.Contains(strings.ToLower(pair[2]), name) {
				f.t.Errorf("%s has the label %s=%q", found[1], pair[1], pair[2])
			}
		}
	}
	if len(all) < 100 {
		f.t.Fatalf("%d series:\n%s", len(all), text)
	}
	slices.Sort(all)
	return all
}

// What is looked at by a scrape is shown as it is.
func TestMetricsOfWhatFollows(t *testing.T) {
	f := serve(t, func(o *Options) {
		o.Metrics = NewMetrics("x")
		o.Ready = func(context.Context) error { return errors.New("read only until restart") }
		o.Writer = func() Writer { return Writer{State: WriterStopped, Reason: "the disk", Waiting: 3} }
		o.Room = func(context.Context) Room {
			return Room{Files: []FileRoom{{"journal", 10, 4}}, Disks: []DiskRoom{{Name: "data-dir", Free: 5, Least: 9}, {Name: "tables", Err: errors.New("no")}}}
		}
		o.Warehouses[0].Anchor = func() Anchor {
			return Anchor{Seq: 0, Since: epoch.Add(-time.Hour), Failed: 2, Err: errors.New("no mount")}
		}
		o.Warehouses[0].Sidecars = func() Sidecars {
			return Sidecars{Seq: 1, Behind: 5, Oldest: epoch.Add(-time.Minute), Failed: 3, Err: errors.New("no place")}
		}
		o.Warehouses[0].Proofs = func() []Proof { return []Proof{{Level: 3, At: epoch.Add(-time.Hour)}} }
	})
	f.showsMetric(
		`puddle_ready 0`, `puddle_writer_state{state="stopped"} 1`, `puddle_writer_state{state="running"} 0`,
		`puddle_recorder_waiting_drafts 3`, `puddle_file_bytes{file="journal"} 10`, `puddle_file_free_bytes{file="journal"} 4`,
		`puddle_disk_free_bytes{disk="data-dir"} 5`, `puddle_disk_least_bytes{disk="data-dir"} 9`,
		`puddle_disk_unknown{disk="data-dir"} 0`, `puddle_disk_unknown{disk="tables"} 1`,
		`puddle_anchor_behind_events{warehouse="default"} 1`, `puddle_anchor_failures_total{warehouse="default"} 2`,
		`puddle_sidecars_behind_events{warehouse="default"} 5`,
		`puddle_sidecars_failures_total{warehouse="default"} 3`,
		`puddle_verify_last_success_timestamp_seconds{level="3",warehouse="default"} 1.7902404e+09`,
		`puddle_commits_total{result="unknown",warehouse="default"} 0`, `puddle_recorder_drafts_total{result="unknown"} 0`,
		`puddle_http_request_bodies_in_flight_bytes 0`, `puddle_documents_bytes{warehouse="default"} 0`,
	)
	s := f.status()
	w := s.Warehouses[0]
	if s.Ready || s.Writer.State != "stopped" || s.Writer.Waiting != 3 || s.Room.Files[0].Free != 4 || !s.Room.Disks[0].Low ||
		w.Sidecars.Seq != 1 || w.Sidecars.Behind != 5 || w.Sidecars.Age < 60 || w.Sidecars.Failed != 3 || w.Sidecars.Error != "no place" ||
		w.Anchor.Behind != 1 || w.Anchor.Error != "no mount" || w.Anchor.Lag < 3600 || w.Proofs[0].Level != 3 || w.Proofs[0].Age < 3600 {
		t.Errorf("status %+v", s)
	}
	var got []string
	for _, warning := range s.Warnings {
		got = append(got, fmt.Sprint(warning.Critical, " ", warning.Message))
	}
	want := []string{
		"true not ready: read only until restart: the disk", "true the disk of data-dir is nearly full: 5 bytes free",
		"false how much room there is for tables is not known: no", "false the anchor (_puddle/head.json) is late: no mount",
		"false catalog sidecars (_puddle/catalog) are late: no place",
	}
	if !slices.Equal(got, want) {
		t.Errorf("warnings %q", got)
	}
}
