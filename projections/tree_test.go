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
			sameTree(t, tree, models[i], key)
		}
	})
}

// What is changed in place is not seen in the trees that were shared before, whoever
// owns it then and from whichever of them he goes on.
func TestTreeOfAnOwner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[a-c]{0,3}`)
		shared, models, last := []tree[int]{{}}, []map[string]int{{}}, []owner{nobody}
		for i := range rapid.IntRange(1, 6).Draw(t, "owners") {
			from := rapid.IntRange(0, i).Draw(t, "goes on from")
			next, model, own := shared[from], maps.Clone(models[from]), last[from]+1
			next.owner = own
			for j := range rapid.IntRange(0, 20).Draw(t, "changes") {
				if k := key.Draw(t, "key"); rapid.IntRange(0, 2).Draw(t, "remove") == 0 {
					next = next.remove(k)
					delete(model, k)
				} else {
					next = next.put(k, 100*i+j)
					model[k] = 100*i + j
				}
			}
			next.owner = nobody
			shared, models, last = append(shared, next), append(models, model), append(last, own)
		}
		for i, tree := range shared {
			sameTree(t, tree, models[i], key)
		}
	})
}

func sameTree(t *rapid.T, tree tree[int], model map[string]int, key *rapid.Generator[string]) {
	from := key.Draw(t, "from")
	var got, want []string
	for k, v := range tree.from(from) {
		got = append(got, k)
		if v != model[k] {
			t.Fatalf("%q holds %d, want %d", k, v, model[k])
		}
	}
	for _, k := range slices.Sorted(maps.Keys(model)) {
		if k >= from {
			want = append(want, k)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("from %q: %q, want %q", from, got, want)
	}
	v, ok := tree.get(from)
	if held, is := model[from]; ok != is || v != held {
		t.Fatalf("get %q: %d, %v, want %d, %v", from, v, ok, held, is)
	}
}
