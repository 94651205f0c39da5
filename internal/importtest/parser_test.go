package importtest

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A table of docs/invariants.md says of each file that reads bytes of a warehouse which
// targets throw anything at what parses them: | `file.go` | what | `FuzzX`, `TestY` |.
var (
	parserRow  = regexp.MustCompile("(?m)^\\| ((?:`[^`]+\\.go`,? ?)+)\\|[^|]*\\|([^|]*)\\|$")
	ticked     = regexp.MustCompile("`([^`]+)`")
	fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
)

// TestParsersHaveFuzzTargets: whoever reads bytes from a store is in the table, with a
// target or a test that is there, and every target is named.
func TestParsersHaveFuzzTargets(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "invariants.md"))
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	files(t, func(name string, content []byte) {
		if strings.HasSuffix(name, "_test.go") {
			for _, found := range fuzzTarget.FindAllSubmatch(content, -1) {
				targets[string(found[1])] = true
			}
		}
	})
	for target := range targets {
		if !strings.Contains(string(text), "`"+target+"`") {
			t.Errorf("docs/invariants.md does not say what %s is for", target)
		}
	}
	listed := parsersIn(t, string(text), targets)
	for _, file := range readersOfStores(t) {
		if !slices.Contains(listed, file) {
			t.Errorf("%s reads bytes of a warehouse: add it to the table of parsers in docs/invariants.md, with its fuzz target", file)
		}
	}
}

// parsersIn are the files of the table's rows, each of which names a target.
func parsersIn(t *testing.T, text string, targets map[string]bool) (listed []string) {
	for _, row := range parserRow.FindAllStringSubmatch(text, -1) {
		for _, file := range ticked.FindAllStringSubmatch(row[1], -1) {
			listed = append(listed, file[1])
			if _, err := os.Stat(filepath.Join(root(t), file[1])); err != nil {
				t.Error(err)
			}
		}
		named := ticked.FindAllStringSubmatch(row[2], -1)
		if len(named) == 0 {
			t.Errorf("docs/invariants.md names no target for %s", row[1])
		}
		for _, n := range named {
			if strings.HasPrefix(n[1], "Fuzz") && !targets[n[1]] {
				t.Errorf("docs/invariants.md names %s, which does not exist", n[1])
			}
		}
	}
	if len(listed) == 0 {
		t.Fatal("docs/invariants.md has no table of parsers")
	}
	return listed
}

// readersOfStores are the files that call the Get of a store, or Fetch, but for stores that
// pass on what another gives.
func readersOfStores(t *testing.T) (found []string) {
	for _, p := range packages(t) {
		if matches("internal/...", p.name()) || matches("fixtures/...", p.name()) {
			continue
		}
		for _, file := range p.GoFiles {
			if readsStore(parsed(t, filepath.Join(p.Dir, file)).syntax) {
				found = append(found, path.Join(p.name(), file))
			}
		}
	}
	if len(found) == 0 {
		t.Fatal("nobody reads a store")
	}
	return found
}

func readsStore(f *ast.File) (reads bool) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name == "Get" || fn.Name.Name == "Fetch" {
			continue
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "Get" && len(call.Args) == 3 || s.Sel.Name == "Fetch" && len(call.Args) >= 3) {
				reads = true
			}
			return true
		})
	}
	return reads
}
