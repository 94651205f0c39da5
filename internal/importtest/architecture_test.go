package importtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestArchitectureNamesEveryPackage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages(t) {
		if !speaksOf(string(text), p.name()) {
			t.Errorf("docs/architecture.md has no row for %s: say which question it answers", p.name())
		}
	}
	if speaksOf(string(text), "journal/nothing") {
		t.Error("it names everything")
	}
}

// speaksOf tells whether a row of the table names a package. The programs below
// fixtures have one row.
func speaksOf(text, pkg string) bool {
	if matches("fixtures/...", pkg) {
		return true
	}
	for line := range strings.Lines(text) {
		if names, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|"); strings.HasPrefix(line, "|") && strings.Contains(names, "`"+pkg+"/`") {
			return true
		}
	}
	return false
}
