package verify_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/dir"
	"puddle/recover/verify"
)

// TestCorpusIsHealthy registers the current files of what real engines wrote, among
// files that they left, and finds no errors: only where commits were lost on
// purpose, files that nobody names.
func TestCorpusIsHealthy(t *testing.T) {
	for _, made := range []string{"pyiceberg-history", "pyiceberg-faults", "spark-replace", "hadoop-a", "trino-views"} {
		t.Run(made, func(t *testing.T) {
			folder := filepath.Join("../../fixtures/warehouses", made)
			store, err := dir.Open(filepath.Join(folder, "warehouse"))
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			w := newWorld(t)
			n := w.registerAll(filepath.Join(folder, "truth.json"), warehouseAt(t, made, store))
			if n == 0 {
				t.Fatal("nothing was registered")
			}
			subject := w.subject()
			subject.Roots = append(subject.Roots, warehouseAt(t, made, store))
			result, s := w.run(subject, 4)
			for _, f := range s.findings {
				if f.Severity == verify.Error || f.Severity == verify.Warning && made != "pyiceberg-faults" {
					t.Errorf("found %s", f)
				}
			}
			if len(s.unseen) > 0 || result.Summary.Objects != int64(n) {
				t.Errorf("of %d objects: %+v, not seen %v", n, result.Summary, s.unseen)
			}
		})
	}
}

func warehouseAt(t *testing.T, made string, store warehouse.Store) warehouse.Root {
	url := "file:///tmp/puddle-corpus/" + made
	l, err := warehouse.ParseLocation(url)
	if err != nil {
		t.Fatal(err)
	}
	return warehouse.Root{URL: url, Location: l, Store: store}
}

// registerAll registers what the truth says is current, and counts what could be.
func (w *world) registerAll(truth string, root warehouse.Root) (n int) {
	w.t.Helper()
	data, err := os.ReadFile(truth)
	w.must(err)
	type current struct {
		At string `json:"metadata-location"`
	}
	var held struct{ Tables, Views map[string]current }
	w.must(json.Unmarshal(data, &held, json.MatchCaseInsensitiveNames(true)))
	w.Catalog.Roots = append(w.Catalog.Roots, root)
	for of, o := range held.Tables {
		if _, err := w.RegisterTable(w.t.Context(), cause, name(strings.ReplaceAll(of, ".", "-")), o.At, false); err == nil {
			n++
		} else {
			w.t.Logf("%s is not registered: %v", of, err)
		}
	}
	for of, o := range held.Views {
		if _, err := w.RegisterView(w.t.Context(), cause, name(strings.ReplaceAll(of, ".", "-")), o.At); err == nil {
			n++
		} else {
			w.t.Logf("%s is not registered: %v", of, err)
		}
	}
	return n
}
