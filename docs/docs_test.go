package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = ".."

// pages are the documents for people: README and everything below docs.
func pages(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	read := func(path string) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(data)
	}
	read(filepath.Join(root, "README.md"))
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			read(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

// TestLinksLeadSomewhere: every relative link in a page names a file.
func TestLinksLeadSomewhere(t *testing.T) {
	for page, text := range pages(t) {
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), found[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, found[1], err)
			}
		}
	}
}

// sources calls f for each Go file.
func sources(t *testing.T, f func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		data, err := os.ReadFile(path)
		f(path, string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

var (
	messageRow = regexp.MustCompile("(?m)^\\| (`[^|]*) \\|")
	quoted     = regexp.MustCompile("`([^`…]+[^`… :])[^`]*`")
)

// TestQuotedRefusalsAreSaid: the messages that the operations page explains are
// those of the program, as far as their first variable part.
func TestQuotedRefusalsAreSaid(t *testing.T) {
	var said strings.Builder
	sources(t, func(path, text string) {
		if !strings.HasSuffix(path, "_test.go") {
			said.WriteString(text)
		}
	})
	page := pages(t)["operations.md"]
	_, table, _ := strings.Cut(page, "| the message |")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := messageRow.FindAllStringSubmatch(table, -1)
	if len(rows) < 5 {
		t.Fatalf("the page explains %d messages", len(rows))
	}
	for _, row := range rows {
		for _, message := range quoted.FindAllStringSubmatch(row[1], -1) {
			if !strings.Contains(said.String(), message[1]) {
				t.Errorf("no message says %q", message[1])
			}
		}
	}
}

var (
	testName = regexp.MustCompile("`(Test[A-Z0-9_][A-Za-z0-9_]*)`")
	testFunc = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9_]+)\(`)
)

// TestNamedTestsExist: a page that says which test holds a rule says the truth.
func TestNamedTestsExist(t *testing.T) {
	there := map[string]bool{}
	sources(t, func(_, text string) {
		for _, found := range testFunc.FindAllStringSubmatch(text, -1) {
			there[found[1]] = true
		}
	})
	named := 0
	for page, text := range pages(t) {
		for _, found := range testName.FindAllStringSubmatch(text, -1) {
			named++
			if !there[found[1]] {
				t.Errorf("%s names the test %s, which does not exist", page, found[1])
			}
		}
	}
	if named == 0 {
		t.Error("no page names a test: the expression that finds them is wrong")
	}
}
