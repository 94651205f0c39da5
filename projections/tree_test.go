package projections

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A tree is a sorted map, and no change is seen in the trees before it.
func TestTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[a-c]{0,3}`)
		trees, models := []tree[int]{{}}, []map[string]int{{}}
		for i := range rapid.IntRange(0, 60).Draw(t, "changes") {
			next, model := trees[i], maps.Clone(models[i])
			k := key.Draw(t, "key")
			if rapid.IntRange(0, 2).Draw(t, "remove") == 0 {
				next = next.remove(k)
				delete(model, k)
			} else {
				next = next.put(k, i)
				model[k] = i
			}
			trees, models = append(trees, next), append(models, model)
		}
		for i, tree := range trees {
			from := key.Draw(t, "from")
			var got, want []string
			for k, v := range tree.from(from) {
				got = append(got, k)
				if v != models[i][k] {
					t.Fatalf("%q holds %d, want %d", k, v, models[i][k])
				}
			}
			for _, k := range slices.Sorted(maps.Keys(models[i])) {
				if k >= from {
					want = append(want, k)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("tree %d from %q: %q, want %q", i, from, got, want)
			}
			v, ok := tree.get(from)
			if held, is := models[i][from]; ok != is || v != held {
				t.Fatalf("get %q: %d, %v, want %d, %v", from, v, ok, held, is)
			}
		}
	})
}
