package journal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// example is a block in a page that repeats a frozen file, or lines of one.
var example = regexp.MustCompile("`([a-z-]+\\.(?:json|txt))`:\n\n```(?:json)?\n((?s:.*?))\n```")

// TestExamplesAreFrozenBytes: the worked examples of the documentation are the
// frozen files.
func TestExamplesAreFrozenBytes(t *testing.T) {
	for page, want := range map[string]int{"record.md": 11, "journal.md": 2, "documents.md": 2} {
		text, err := os.ReadFile(filepath.Join("../docs/formats", page))
		if err != nil {
			t.Fatal(err)
		}
		examples := example.FindAllStringSubmatch(string(text), -1)
		if len(examples) != want {
			t.Errorf("%s has %d examples, want %d", page, len(examples), want)
		}
		for _, found := range examples {
			checkExample(t, page, found[1], found[2])
		}
	}
}

func checkExample(t *testing.T, page, name, block string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(frozen, name))
	if err != nil {
		t.Errorf("%s: %v", page, err)
		return
	}
	file := strings.TrimSuffix(string(data), "\n")
	if !strings.HasPrefix(name, "journal") {
		if block != file {
			t.Errorf("%s shows another %s", page, name)
		}
		return
	}
	there := make(map[string]bool)
	for line := range strings.SplitSeq(file, "\n") {
		there[line] = true
	}
	for line := range strings.SplitSeq(block, "\n") {
		if !there[line] {
			t.Errorf("%s shows a line that is not in %s: %.80s", page, name, line)
		}
	}
}
