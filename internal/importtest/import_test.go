package importtest

import (
	"encoding/json"
	"errors"
	"go/ast"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "puddle"

// listed is what go list says of one package.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
}

// name is the package's path below the module.
func (p listed) name() string { return below(p.ImportPath) }

func below(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
}

func packages(t *testing.T) []listed {
	t.Helper()
	list := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", "./...")
	list.Dir = root(t)
	out, err := list.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var all []listed
	for in := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles) > 0 {
			all = append(all, p)
		}
	}
}

// matches is true for the pattern's package and, with "/...", for all below it.
func matches(pattern, pkg string) bool {
	if pattern == "..." {
		return true
	}
	parent, deep := strings.CutSuffix(pattern, "/...")
	return pkg == parent || deep && strings.HasPrefix(pkg, parent+"/")
}

func ruleFor(pkg string) (rule, bool) {
	i := slices.IndexFunc(rules, func(r rule) bool { return matches(r.packages, pkg) })
	if i < 0 {
		return rule{}, false
	}
	return rules[i], true
}

// violation says why the rule forbids an import; "" when it does not.
func (r rule) violation(importPath string) string {
	if importPath == module || strings.HasPrefix(importPath, module+"/") {
		if !slices.ContainsFunc(r.ours, func(p string) bool { return matches(p, below(importPath)) }) {
			return "not among what it may import of ours"
		}
		return ""
	}
	for _, n := range r.never {
		if matches(n+"/...", importPath) {
			return "never " + n
		}
	}
	return ""
}

func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		r, ok := ruleFor(p.name())
		if !ok {
			t.Errorf("%s has no rule: say in rules_test.go what it may import", p.name())
			continue
		}
		for _, imported := range p.Imports {
			if v := r.violation(imported); v != "" {
				t.Errorf("%s imports %s: %s (rule %q: %s)", p.name(), imported, v, r.packages, r.why)
			}
		}
	}
}

func TestPurePackagesTakeNoTimeAndNoRandomness(t *testing.T) {
	for _, p := range packages(t) {
		forbidden := ambientCalls[p.name()]
		for _, file := range p.GoFiles {
			if len(forbidden) == 0 {
				break
			}
			f := parsed(t, filepath.Join(p.Dir, file))
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && slices.Contains(forbidden, x.Name+"."+s.Sel.Name) {
						t.Errorf("%s calls %s.%s: it is given instead", path.Join(p.name(), file), x.Name, s.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

func TestRulesCanFail(t *testing.T) {
	for _, c := range []struct {
		pkg, imported string
		forbidden     bool
	}{
		{"journal", "fmt", false},
		{"journal", "puddle/projections", true},
		{"journal", "net/http", true},
		{"journal", "net/http/httptest", true},
		{"journal/bolt", "puddle/journal", false},
		{"journal/bolt", "go.etcd.io/bbolt", false},
		{"projections", "database/sql", true},
		{"projections/pointers", "database/sql", false},
		{"projections/pointers", "puddle/rest", true},
		{"rest", "puddle/projections/pointers", true},
		{"rest", "puddle/rest/metadata", false},
		{"rest/metadata", "os", true},
		{"rest/metadata", "context", true},
		{"rest/metadata/manifest", "context", true},
		{"rest/catalog", "net/http", true},
		{"rest/catalog/purge", "puddle/rest/metadata/manifest", false},
		{"rest/catalog/purge", "puddle/rest/catalog", true},
		{"internal/warehouse/dir", "puddle/journal", true},
		{"internal/warehouse/dir", "log/slog", true},
		{"recover", "puddle/rest", true},
		{"recover", "puddle/rest/catalog", false},
		{"recover/descent", "puddle/rest/catalog", true},
		{"recover/descent", "context", true},
		{"recover/verify", "puddle/rest/catalog", false},
		{"recover/verify", "puddle/projections/pointers", true},
		{"projections/recorder", "puddle/projections/pointers", true},
		{"projections/recorder", "puddle/journal/bolt", true},
		{"cmd/puddle", "puddle/projections/recorder", false},
	} {
		r, ok := ruleFor(c.pkg)
		if !ok {
			t.Errorf("no rule for %s", c.pkg)
		} else if got := r.violation(c.imported) != ""; got != c.forbidden {
			t.Errorf("%s imports %s: forbidden %v, want %v (rule %q)", c.pkg, c.imported, got, c.forbidden, r.packages)
		}
	}
	if r, ok := ruleFor("elsewhere"); ok {
		t.Errorf("a package of no place falls under %q", r.packages)
	}
}
