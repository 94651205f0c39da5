package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/internal/postgrestest"
)

var (
	listedMetric = regexp.MustCompile("(?m)^\\| `(puddle_[a-z_]+)(?:\\{([a-z,]+)\\})?` \\| (counter|gauge|histogram) \\|")
	shownType    = regexp.MustCompile(`^# TYPE (puddle_[a-z_]+) ([a-z]+)$`)
	shownSeries  = regexp.MustCompile(`^(puddle_[a-z_]+)\{(.*)\} `)
	shownLabel   = regexp.MustCompile(`([a-z]+)="[^"]*"`)
)

// listedMetrics are those of the page, each with its kind and labels: of a database, or all
// others.
func listedMetrics(t *testing.T, database bool) (listed []string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range listedMetric.FindAllStringSubmatch(string(page), -1) {
		if strings.HasPrefix(m[1], "puddle_database_") != database {
			continue
		}
		labels := strings.Split(m[2], ",")
		slices.Sort(labels)
		listed = append(listed, fmt.Sprintf("%s %s {%s}", m[3], m[1], strings.Join(labels, ",")))
	}
	slices.Sort(listed)
	return listed
}

// The page of metrics lists all that a server shows, each with its kind and labels,
// and nothing else.
func TestMetricsAreListed(t *testing.T) {
	listed, dir := listedMetrics(t, false), t.TempDir()
	r := started(t, configured(t, dir, ""))
	r.post("/api/catalog/v1/namespaces", `{"namespace":["n"]}`)
	r.made(dir, "t")
	r.post("/api/catalog/v1/namespaces/n/tables/t/metrics", `{"report-type":"scan-report"}`)
	if code, _ := ran(t, dir, "verify"); code != codeDone {
		t.Fatalf("verify: exit code %d", code)
	}
	if diff := cmp.Diff(listed, kindsOf(r.metrics())); diff != "" {
		t.Errorf("docs/metrics.md (-) and a server (+) differ:\n%s", diff)
	}
	r.stopped()
}

// A server with a database shows how it uses it, too.
func TestMetricsOfDatabaseAreListed(t *testing.T) {
	r := started(t, replica(t, t.TempDir(), postgrestest.Open(t), 1, ""))
	shown := slices.DeleteFunc(kindsOf(r.metrics()), func(kind string) bool { return !strings.Contains(kind, " puddle_database_") })
	if diff := cmp.Diff(listedMetrics(t, true), shown); diff != "" {
		t.Errorf("docs/metrics.md (-) and a server (+) differ:\n%s", diff)
	}
	r.stopped()
}

// What a server does is measured: its storage, catching up at the start, and verify.
func TestWorkIsMeasured(t *testing.T) {
	dir := t.TempDir()
	r := started(t, configured(t, dir, "journal: {archive: off}")) // it creates files when it likes
	r.post("/api/catalog/v1/namespaces", `{"namespace":["n"]}`)
	created, looked := r.took("puddle_store_operation_duration_seconds", "create"), r.took("puddle_store_operation_duration_seconds", "stat")
	r.made(dir, "t")
	if now := r.took("puddle_store_operation_duration_seconds", "create"); now != created+1 {
		t.Errorf("a table was made: %d creates became %d", created, now)
	}
	r.get("/api/catalog/v1/namespaces/n/tables/t")
	if now := r.took("puddle_store_operation_duration_seconds", "stat"); now <= looked {
		t.Errorf("a table was loaded: %d looks at files became %d", looked, now)
	}
	if code, _ := ran(t, dir, "verify"); code != codeDone {
		t.Fatalf("verify: exit code %d", code)
	}
	if n := r.took("puddle_verify_duration_seconds", ""); n != 1 {
		t.Errorf("%d verifications are told", n)
	}
	if n := r.took("puddle_tables_catch_up_duration_seconds", ""); n != 1 {
		t.Errorf("the tables were brought up %d times", n)
	}
	r.stopped()
}

// took is how often a histogram was told how long something took.
func (r *running) took(name, operation string) (times int) {
	r.t.Helper()
	for _, line := range r.metrics() {
		if strings.HasPrefix(line, name+"_count") && (operation == "" || strings.Contains(line, `operation="`+operation+`"`)) {
			if _, err := fmt.Sscan(line[strings.LastIndex(line, " "):], &times); err != nil {
				r.t.Fatal(err)
			}
			return times
		}
	}
	r.t.Fatalf("there is no %s", name)
	return 0
}

// kindsOf are the metrics in a text, each with its kind and the names of its labels.
func kindsOf(lines []string) (all []string) {
	kinds, labels := map[string]string{}, map[string]map[string]bool{}
	for _, line := range lines {
		if m := shownType.FindStringSubmatch(line); m != nil {
			kinds[m[1]], labels[m[1]] = m[2], map[string]bool{}
		}
		m := shownSeries.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := m[1]
		if kinds[name] == "" {
			name = name[:strings.LastIndex(name, "_")] // a part of a histogram
		}
		for _, label := range shownLabel.FindAllStringSubmatch(m[2], -1) {
			if label[1] != "le" {
				labels[name][label[1]] = true
			}
		}
	}
	for name, kind := range kinds {
		var of []string
		for label := range labels[name] {
			of = append(of, label)
		}
		slices.Sort(of)
		all = append(all, fmt.Sprintf("%s %s {%s}", kind, name, strings.Join(of, ",")))
	}
	slices.Sort(all)
	return all
}
