package config

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// documented are the configurations that the documentation shows, the one with
// everything first.
func documented(t *testing.T) [][]byte {
	page, err := os.ReadFile(filepath.FromSlash("../../../docs/configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	var examples [][]byte
	for _, found := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1) {
		examples = append(examples, found[1])
	}
	if len(examples) < 3 {
		t.Fatalf("the page shows %d configurations", len(examples))
	}
	return examples
}

func TestDocumentedConfigurationsLoad(t *testing.T) {
	env := environment("PUDDLE_TOKEN", "secret", "PUDDLE_AWS_ACCESS_KEY_ID", "key", "PUDDLE_AWS_SECRET_ACCESS_KEY", "secret", "PUDDLE_PG_URL", "postgres://puddle@db.example.org/puddle", "DASHBOARDS_SHA256", journal.Sum([]byte("another")).String())
	for _, example := range documented(t) {
		if _, err := parse("docs/configuration.md", example, env); err != nil {
			t.Errorf("%s\n%v", example, err)
		}
	}
}

func TestDocumentedDefaults(t *testing.T) {
	got, err := parse("docs/configuration.md", documented(t)[0], environment())
	if err != nil {
		t.Fatal(err)
	}
	want, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	want.Warehouses[0].Root = got.Warehouses[0].Root // which has no default
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(warehouse.Location{})); diff != "" {
		t.Errorf("documented defaults (-want +got):\n%s", diff)
	}
}
