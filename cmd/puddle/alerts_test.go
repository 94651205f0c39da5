package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// alertRules is a file of Prometheus's rules, as far as ours goes.
type alertRules struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert, Expr, For    string
			Labels, Annotations map[string]string
		}
	}
}

func readAlerts(t *testing.T) alertRules {
	t.Helper()
	data, err := os.ReadFile("../../docs/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	var rules alertRules
	if err := decoder.Decode(&rules); err != nil {
		t.Fatal(err)
	}
	return rules
}

var (
	selector  = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[^}]*\})?`)
	grouping  = regexp.MustCompile(`\b(by|on|without|ignoring)\s*\([^)]*\)`)
	window    = regexp.MustCompile(`\[[^\]]*\]`)
	called    = regexp.MustCompile(`[a-z_0-9]+\s*\(`)
	operators = []string{"and", "or", "unless", "sum", "max", "min"}
	matcher   = regexp.MustCompile(`([a-z]+)=("[^"]*")`)
)

// selectors are the metrics of an expression, each with its matchers.
func selectors(expr string) [][2]string {
	expr = window.ReplaceAllString(grouping.ReplaceAllString(expr, " "), " ")
	expr = called.ReplaceAllString(expr, "(")
	var all [][2]string
	for _, found := range selector.FindAllStringSubmatch(expr, -1) {
		if !slices.Contains(operators, found[1]) {
			all = append(all, [2]string{found[1], found[2]})
		}
	}
	return all
}

// Alerts name metrics, and values of labels, that a server shows from its start:
// one that waits for what is never there is no alert.
func TestAlertsNameWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	r := started(t, configured(t, dir, ""))
	if code, _ := ran(t, dir, "verify"); code != codeDone {
		t.Fatalf("verify: exit code %d", code)
	}
	r.metrics()
	shown := r.metrics() // that a request was answered is among them
	named := 0
	for _, group := range readAlerts(t).Groups {
		for _, rule := range group.Rules {
			for _, s := range selectors(rule.Expr) {
				named++
				if !showsSeries(shown, s[0], s[1]) {
					t.Errorf("%s: no series is %s%s", rule.Alert, s[0], s[1])
				}
			}
		}
	}
	if named < 20 {
		t.Errorf("alerts name %d metrics: the expression that finds them is wrong", named)
	}
	r.stopped()
}

func (r *running) metrics() []string {
	r.t.Helper()
	answer, err := http.Get(r.url("/metrics"))
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// showsSeries looks for a series of a name with the labels that are asked for by
// equality.
func showsSeries(lines []string, name, matchers string) bool {
	return slices.ContainsFunc(lines, func(line string) bool {
		rest, ok := strings.CutPrefix(line, name)
		if !ok || rest[0] != '{' && rest[0] != ' ' {
			return false
		}
		for _, m := range matcher.FindAllStringSubmatch(matchers, -1) {
			if !strings.Contains(rest, m[1]+"="+m[2]) {
				return false
			}
		}
		return true
	})
}

// Whoever registers can have an external warehouse refuse him: nobody is called for that.
func TestRefusalsOfExternalWarehousesAlertNobody(t *testing.T) {
	dir, old := t.TempDir(), t.TempDir()
	r := started(t, configured(t, dir, "external-warehouses:\n  old:\n    location: "+old+"\n"))
	defer r.stopped()
	of := func(external, warehouse string) []string {
		return slices.DeleteFunc(r.metrics(), func(line string) bool {
			return !strings.HasPrefix(line, `puddle_store_failures_total{external="`+external+`"`) || !strings.Contains(line, `,warehouse="`+warehouse+`"}`)
		})
	}
	theirs, ours := of("true", "old"), of("false", "default")
	if len(theirs) == 0 || len(ours) == 0 {
		t.Fatalf("%d series of the external warehouse, %d of the other", len(theirs), len(ours))
	}
	for _, group := range readAlerts(t).Groups {
		for _, rule := range group.Rules {
			for _, s := range selectors(rule.Expr) {
				if rule.Alert == "PuddleStoreRefuses" && (showsSeries(theirs, s[0], s[1]) || !showsSeries(ours, s[0], s[1])) {
					t.Errorf("%s looks at %s%s", rule.Alert, s[0], s[1])
				}
			}
		}
	}
}

var heading = regexp.MustCompile(`(?m)^#+ (.*)$`)

// Every alert says what is wrong, how bad it is, and where it is written what to do.
func TestAlertsLeadToWhatToDo(t *testing.T) {
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, found := range heading.FindAllStringSubmatch(string(page), -1) {
		there["operations.md#"+strings.ReplaceAll(strings.ToLower(found[1]), " ", "-")] = true
	}
	seen := map[string]bool{}
	for _, group := range readAlerts(t).Groups {
		for _, rule := range group.Rules {
			if !strings.HasPrefix(rule.Alert, "Puddle") || seen[rule.Alert] || rule.Annotations["summary"] == "" {
				t.Errorf("alert %q: its name, or it has no summary", rule.Alert)
			}
			seen[rule.Alert] = true
			if !slices.Contains([]string{"critical", "warning", "info"}, rule.Labels["severity"]) {
				t.Errorf("%s: severity %q", rule.Alert, rule.Labels["severity"])
			}
			if !there[rule.Annotations["runbook"]] {
				t.Errorf("%s: there is no %q", rule.Alert, rule.Annotations["runbook"])
			}
		}
	}
	if len(seen) < 15 {
		t.Errorf("there are %d alerts", len(seen))
	}
}

// What is found in expressions is what is there.
func TestSelectors(t *testing.T) {
	got := selectors(`histogram_quantile(0.99, sum by (le) (rate(a_bucket{step="x"}[5m]))) > 2 * b unless on (w) c{l="3"}`)
	if want := [][2]string{{"a_bucket", `{step="x"}`}, {"b", ""}, {"c", `{l="3"}`}}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
