package warehousetest

import (
	"context"
	"fmt"
	"testing"

	"puddle/internal/warehouse"
)

// testBatches: what is done for many keys at once is what would be done for each.
func testBatches(t *testing.T, store warehouse.Store) {
	many, ok := store.(warehouse.Batches)
	if !ok {
		return
	}
	ctx := context.Background()
	keys := []string{"a/b", "none", "a b/+%2F", "a/../b", "ä/日本", "a/b", "no/such/folder", ""}
	wants := []error{nil, warehouse.ErrNotFound, nil, warehouse.ErrInvalidKey, nil, nil, warehouse.ErrNotFound, warehouse.ErrInvalidKey}
	create(t, store, "a/b", "a b/+%2F", "ä/日本", "a/bc", "a/b-1")
	infos, errs := many.StatAll(ctx, keys)
	for i, key := range keys {
		wantError(t, "StatAll of "+key, errs[i], wants[i])
		if wants[i] != nil {
			continue
		}
		if found, err := store.Stat(ctx, key); err != nil || !found.Same(infos[i]) {
			t.Errorf("%q is %+v, %v, among others %+v", key, found, err, infos[i])
		}
	}
	for i, err := range many.DeleteAll(ctx, keys) {
		want := wants[i]
		if want == warehouse.ErrNotFound { //nolint:errorlint // one of the list above
			want = nil
		}
		wantError(t, "DeleteAll of "+keys[i], err, want)
	}
	wantKeys(t, store, "", "a/b-1", "a/bc")
	infos, errs = many.StatAll(ctx, nil)
	if left := many.DeleteAll(ctx, nil); len(infos)+len(errs)+len(left) > 0 {
		t.Errorf("for no keys %v, %v, %v", infos, errs, left)
	}
}

// testManyKeys: a batch may be larger than what a store does by one request.
func testManyKeys(t *testing.T, store warehouse.Store) {
	many, ok := store.(warehouse.Batches)
	if !ok {
		return
	}
	const batch = 1100
	var keys []string
	for i := range batch {
		keys = append(keys, fmt.Sprint("folder/", i))
	}
	create(t, store, "folder/7", "folder/1099", "other/7")
	_, errs := many.StatAll(context.Background(), keys)
	found := 0
	for _, err := range errs {
		if err == nil {
			found++
		}
	}
	if found != 2 {
		t.Errorf("found %d", found)
	}
	for i, err := range many.DeleteAll(context.Background(), keys) {
		wantError(t, "DeleteAll of "+keys[i], err, nil)
	}
	wantKeys(t, store, "", "other/7")
}

// testSame: what nobody has written since is the Same, however it was asked for; what was
// replaced by other bytes is not.
func testSame(t *testing.T, store warehouse.Store) {
	ctx := context.Background()
	stat := func() warehouse.Info {
		t.Helper()
		info, err := store.Stat(ctx, "a/b")
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	create(t, store, "a/b")
	first := stat()
	if !first.Same(stat()) {
		t.Errorf("%+v is another", first)
	}
	for entry, err := range store.List(ctx, "a") {
		if err != nil || !entry.Same(first) {
			t.Errorf("listed %+v, %v; stat tells %+v", entry, err, first)
		}
	}
	if err := store.Put(ctx, "a/b", []byte("other bytes, and more")); err != nil {
		t.Fatal(err)
	}
	if second := stat(); first.Same(second) || second.Modified < first.Modified {
		t.Errorf("%+v was replaced by %+v", first, second)
	}
}
