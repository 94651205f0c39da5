package importtest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxFileLines     = 500
	maxFunctionLines = 70
)

// machinePath finds a path that exists on one machine only.
var machinePath = regexp.MustCompile(`(?m)(^|[\s"'` + "`" + `(=:])/(work|root)/\S*`)

// meaningless are package names that do not say what is inside.
var meaningless = []string{"util", "utils", "common", "types", "helpers", "misc", "base", "lib", "models", "service", "shared"}

// root is the module's folder: the one that holds go.mod, above this package.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// files calls f for each file of the repository that people or tools wrote:
// not what builds and runs leave behind, nor the warehouses that engines made.
func files(t *testing.T, f func(name string, content []byte)) {
	t.Helper()
	top := root(t)
	err := filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(top, file)
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "target" || d.Name() == "__pycache__" || name == "puddle-data" || name == "venv" || name == "fixtures/warehouses") {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if utf8.Valid(content) {
			f(filepath.ToSlash(name), content)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// goFile is one parsed Go file.
type goFile struct {
	set    *token.FileSet
	syntax *ast.File
}

func parsed(t *testing.T, file string) goFile {
	t.Helper()
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return goFile{set, syntax}
}

// longFunctions lists the functions over the limit, with their lines.
func (f goFile) longFunctions() map[string]int {
	long := map[string]int{}
	for _, d := range f.syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			lines := f.set.Position(fn.End()).Line - f.set.Position(fn.Pos()).Line + 1
			if lines > maxFunctionLines {
				long[fn.Name.Name] = lines
			}
		}
	}
	return long
}

func TestFilesAndFunctionsAreShort(t *testing.T) {
	seen := 0
	files(t, func(name string, content []byte) {
		if filepath.Ext(name) != ".go" {
			return
		}
		f := parsed(t, filepath.Join(root(t), name))
		if ast.IsGenerated(f.syntax) {
			return
		}
		seen++
		if lines := bytes.Count(content, []byte("\n")); lines > maxFileLines {
			t.Errorf("%s has %d lines, over %d", name, lines, maxFileLines)
		}
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		for fn, lines := range f.longFunctions() {
			t.Errorf("%s: func %s has %d lines, over %d", name, fn, lines, maxFunctionLines)
		}
	})
	if seen == 0 {
		t.Fatal("no Go file was looked at")
	}
}

func TestEveryPackageTellsItsStory(t *testing.T) {
	for _, p := range packages(t) {
		if !slices.Contains(p.GoFiles, "doc.go") {
			t.Errorf("%s has no doc.go", p.name())
			continue
		}
		if doc := parsed(t, filepath.Join(p.Dir, "doc.go")).syntax.Doc; doc == nil || len(doc.Text()) < 40 {
			t.Errorf("%s/doc.go tells nothing", p.name())
		}
	}
}

func TestPackageNamesSaySomething(t *testing.T) {
	for _, p := range packages(t) {
		for element := range strings.SplitSeq(p.name(), "/") {
			if slices.Contains(meaningless, element) {
				t.Errorf("%s: %q says nothing", p.name(), element)
			}
		}
	}
}

func TestNoPathOfOneMachine(t *testing.T) {
	files(t, func(name string, content []byte) {
		for _, found := range machinePath.FindAll(content, -1) {
			t.Errorf("%s: %q", name, bytes.TrimSpace(found))
		}
	})
	for text, want := range map[string]bool{"see /wo" + "rk/x": true, "(/ro" + "ot/.cache": true, "docs/network/a": false, "file:///tmp/x": false} {
		if machinePath.MatchString(text) != want {
			t.Errorf("%q: found %v, want %v", text, !want, want)
		}
	}
}
