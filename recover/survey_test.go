package recover

import (
	"slices"
	"strings"
	"testing"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/memory"
)

// fakeRoots is a warehouse with metadata files of these names, and others beside them.
func fakeRoots(t *testing.T, keys string) warehouse.Roots {
	t.Helper()
	store := memory.New()
	for key := range strings.FieldsSeq(keys) {
		for _, end := range []string{".metadata.json", ".parquet"} {
			if err := store.Create(t.Context(), key+end, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	l, err := warehouse.ParseLocation("file:///w")
	if err != nil {
		t.Fatal(err)
	}
	return warehouse.Roots{{URL: "file:///w", Location: l, Store: store}}
}

func TestFoldersAreWhole(t *testing.T) {
	for _, test := range []struct {
		keys, want string
	}{
		{"a/x a/m/y a/z", "a/m:a/m/y a:a/x,a/z"},
		{"x a/x z", "a:a/x :x,z"},
		{"a/m-b/x a/m/x a/m/z", "a/m-b:a/m-b/x a/m:a/m/x,a/m/z"},
		{"_puddle/x _PUDDLE/y b/_puddle/z", "b/_puddle:b/_puddle/z"},
		{"a/b/c/x a/b/y b/z", "a/b/c:a/b/c/x a/b:a/b/y b:b/z"},
	} {
		var got []string
		roots := fakeRoots(t, test.keys)
		err := listRoots(t.Context(), roots, func() {}, func(f folder) error {
			var names []string
			for _, key := range f.keys {
				names = append(names, strings.TrimSuffix(key, ".metadata.json"))
			}
			got = append(got, f.key+":"+strings.Join(names, ","))
			return nil
		})
		want := strings.Fields(test.want)
		slices.Sort(got)
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q, %v", test.keys, got, want, err)
		}
	}
}
