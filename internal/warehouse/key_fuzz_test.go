package warehouse_test

import (
	"errors"
	"strings"
	"testing"

	"puddle/internal/warehouse"
)

// FuzzKey: what a store lists as a key leads back to it from the location that names it,
// or is no location that anybody may have; it never leads out of the root, and never into
// the reserved folder unless it says so, in any
// letter case.
func FuzzKey(f *testing.F) {
	for _, key := range []string{"t/metadata/00000-é.metadata.json", "_puddle/head.json", "a b+c%20", "../x", "a//b", "a/./b", ".puddle-tmp-1", "a?b#c", "*", strings.Repeat("x", warehouse.MaxKey+1), "\x00"} {
		f.Add(key)
	}
	at, err := warehouse.ParseLocation("s3://lake/wh")
	if err != nil {
		f.Fatal(err)
	}
	roots := warehouse.Roots{{URL: "s3://lake/wh", Location: at}}
	f.Fuzz(func(t *testing.T, key string) {
		if err := warehouse.CheckKey(key); err != nil {
			if !errors.Is(err, warehouse.ErrInvalidKey) {
				t.Fatal(err)
			}
			return
		}
		if prefix, err := warehouse.CleanPrefix(key + "/"); err != nil || prefix != key {
			t.Fatalf("%q, %v", prefix, err)
		}
		_, again, err := roots.Resolve("s3://lake/wh/" + key)
		switch {
		case err == nil && again != key:
			t.Fatalf("%q leads to %q", key, again)
		case err != nil && !errors.Is(err, warehouse.ErrInvalidLocation):
			t.Fatal(err)
		case err != nil:
			return
		}
		l, _ := warehouse.ParseLocation("s3://lake/wh/" + key)
		first, _, _ := strings.Cut(key, "/")
		reserved, says := errors.Is(roots.Check(l), warehouse.ErrReserved), strings.EqualFold(first, warehouse.ReservedFolder)
		if says && !reserved || reserved && !says && !strings.Contains(key, "%") { // some decode it
			t.Fatalf("%q: reserved %v", key, reserved)
		}
	})
}
