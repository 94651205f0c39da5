package warehouse_test

import (
	"errors"
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
