package warehouse_test

import (
	"errors"
	"strings"
	"testing"

	"puddle/internal/warehouse"
)

func TestResolve(t *testing.T) {
	var roots warehouse.Roots
	for _, url := range []string{"file:///w", "s3://b/lake", "/w/inner/", "s3://b"} {
		roots = append(roots, warehouse.Root{URL: url, Location: parse(t, url)})
	}
	for _, test := range []struct{ location, root, key string }{
		{"file:/w/a/b", "file:///w", "a/b"},
		{"/w", "file:///w", ""},
		{"/w/inner/x", "/w/inner/", "x"},
		{"/w/innermost/x/", "file:///w", "innermost/x"},
		{"s3a://b/lake/t", "s3://b/lake", "t"},
		{"s3n://b/other", "s3://b", "other"},
		{"s3n://b/lake2/t", "s3://b", "lake2/t"},
		{"/w/a%20b/c d", "file:///w", "a%20b/c d"},
	} {
		root, key, err := roots.Resolve(test.location)
		if err != nil || root.URL != test.root || key != test.key {
			t.Errorf("Resolve(%q) = %q, %q, %v; want %q, %q", test.location, root.URL, key, err, test.root, test.key)
		}
	}
	for location, want := range map[string]error{
		"/w2/a": warehouse.ErrOutside, "/": warehouse.ErrInvalidLocation, "s3://b2/lake": warehouse.ErrOutside,
		"/w/../w/a": warehouse.ErrInvalidLocation, "gs://b/lake": warehouse.ErrInvalidLocation,
	} {
		if _, _, err := roots.Resolve(location); !errors.Is(err, want) {
			t.Errorf("Resolve(%q): %v, want %v", location, err, want)
		}
	}
	if _, _, err := (warehouse.Roots)(nil).Resolve("/w"); !errors.Is(err, warehouse.ErrOutside) {
		t.Errorf("no roots: %v", err)
	}
}

func TestCase141_Check(t *testing.T) {
	var roots warehouse.Roots
	for _, url := range []string{"/w", "/w/inner/root", "/w/_puddle/inside", "s3://b/lake"} {
		roots = append(roots, warehouse.Root{URL: url, Location: parse(t, url)})
	}
	for location, want := range map[string]error{
		"/w/a": nil, "/w/inner/a": nil, "/w/inner/root/a": nil, "s3a://b/lake/t": nil, "/w/a#b?c": nil, "/w/a/_puddle": nil,
		"/w": warehouse.ErrRoot, "/w/inner/root": warehouse.ErrRoot, "/w/inner": warehouse.ErrRoot, "s3n://b/lake": warehouse.ErrRoot, "s3://b": warehouse.ErrRoot,
		"/w/_puddle": warehouse.ErrReserved, "/w/_PUDDLE": warehouse.ErrReserved, "/w/inner/root/_puddle/x": warehouse.ErrReserved,
		"/w/_puddle/inside/a": warehouse.ErrReserved, "s3://b/lake/%5Fpuddle": warehouse.ErrReserved,
		"/w2": warehouse.ErrOutside, "s3://b/lake2": warehouse.ErrOutside, "s3://c/lake/a": warehouse.ErrOutside,
		"/w/" + warehouse.TempPrefix + "x/t": warehouse.ErrInvalidKey, "/w/" + strings.Repeat("x", warehouse.MaxKey+1): warehouse.ErrInvalidKey,
	} {
		if err := roots.Check(parse(t, location)); !errors.Is(err, want) {
			t.Errorf("Check(%q): %v, want %v", location, err, want)
		}
	}
	for location, want := range map[string]error{
		"/w/#x": warehouse.ErrRoot, "/w/inner/root?x/t": warehouse.ErrRoot, "/w/_PUDDLE#/t": warehouse.ErrReserved, "/w/a?": nil,
	} {
		cut, _ := parse(t, location).Cut()
		if err := roots.Check(cut); !errors.Is(err, want) {
			t.Errorf("Check of what is left of %q: %v, want %v", location, err, want)
		}
	}
}

// An old lake may hold warehouses of others at any depth: their own folders are no one's
// to register from.
func TestCase141_CheckOfExternal(t *testing.T) {
	roots := warehouse.Roots{{URL: "s3://old/lake", Location: parse(t, "s3://old/lake"), External: "old"}}
	for location, want := range map[string]error{
		"s3a://old/lake/t": nil, "s3://old/lake/_puddles/t": nil, "s3://old/lake": warehouse.ErrRoot, "s3://old": warehouse.ErrRoot,
		"s3://old/lake/_puddle/catalog": warehouse.ErrReserved, "s3://old/lake/wh/_PUDDLE": warehouse.ErrReserved, "s3://old/lake/a/b/%5fpuddle/x": warehouse.ErrReserved,
		"s3://old/lake/a%2F_puddle%2fx": warehouse.ErrReserved, "s3://old/lake2": warehouse.ErrOutside,
	} {
		if err := roots.Check(parse(t, location)); !errors.Is(err, want) {
			t.Errorf("Check(%q): %v, want %v", location, err, want)
		}
	}
}
