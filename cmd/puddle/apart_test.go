package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"puddle/cmd/puddle/config"
	store "puddle/internal/warehouse"
)

// Case 138: roots may be links, but not to where another root is.
func TestCase138_RootsByLinks(t *testing.T) {
	base := t.TempDir()
	for _, folder := range []string{"w/inner", "v", "else/where", "odd#"} {
		if err := os.MkdirAll(filepath.Join(base, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"to-w": "w", "to-inner": "w/inner", "to-v": "v", "to-else": "else", "w/out": "../else", "w/in": "inner", "chain": "to-w", "to-odd": "odd#",
	} {
		if err := os.Symlink(target, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		one, two []string // the roots of two warehouses
		refused  string
	}{
		{[]string{"w"}, []string{"v"}, ""},
		{[]string{"to-w"}, []string{"to-v"}, ""},
		{[]string{"w", "w/inner"}, []string{"v"}, ""},
		{[]string{"w", "w/out"}, []string{"v"}, ""}, // a link below the root that is a root of its own
		{[]string{"to-odd"}, []string{"v"}, ""},
		{[]string{"w"}, []string{"to-w"}, "to-w"},
		{[]string{"w"}, []string{"chain"}, "chain"},
		{[]string{"w"}, []string{"v", "to-inner"}, "to-inner"},
		{[]string{"w/inner"}, []string{"to-w"}, "to-w"},
		{[]string{"to-v", "v"}, []string{"w"}, "to-v"},
		{[]string{"w", "w/in"}, []string{"v"}, "w/in"},
		{[]string{"w", "w/out"}, []string{"else/where"}, "else/where"},
	} {
		err := apart([]*warehouse{rooted(t, "one", base, test.one), rooted(t, "two", base, test.two)})
		if (err == nil) != (test.refused == "") || err != nil && (exitCode(err) != codeRefused || !strings.Contains(err.Error(), base+"/"+test.refused)) {
			t.Errorf("%q beside %q: %v", test.one, test.two, err)
		}
	}
}

func rooted(t *testing.T, name, base string, folders []string) *warehouse {
	t.Helper()
	w := &warehouse{Warehouse: config.Warehouse{Name: name}}
	for i, folder := range folders {
		location, err := store.ParseLocation(filepath.Join(base, folder))
		if err != nil {
			t.Fatal(err)
		}
		place := config.Place{URL: "file://" + filepath.Join(base, folder), Location: location}
		if i == 0 {
			w.Root = place
		} else {
			w.Allowed = append(w.Allowed, place)
		}
	}
	return w
}
