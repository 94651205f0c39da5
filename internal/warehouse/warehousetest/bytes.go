package warehousetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"puddle/internal/warehouse"
)

func testStage(t *testing.T, store warehouse.Store) { testCreate(t, staging{store}) }

// staging is a store whose Create is Stage: without a crash they are the same.
type staging struct{ warehouse.Store }

// Create stages, and what that tells has to be what Stat tells.
func (s staging) Create(ctx context.Context, key string, data []byte) error {
	info, err := s.Stage(ctx, key, data)
	if err != nil {
		return err
	}
	if found, err := s.Stat(ctx, key); err != nil || !found.Same(info) {
		return fmt.Errorf("staged %+v, stat tells %+v, %w", info, found, err)
	}
	return nil
}

func testCreate(t *testing.T, store warehouse.Store) {
	ctx := context.Background()
	wantMissing(t, store, "a/b/c")
	if err := store.Create(ctx, "a/b/c", []byte("first")); err != nil {
		t.Fatal(err)
	}
	wantError(t, "again", store.Create(ctx, "a/b/c", []byte("second")), warehouse.ErrExists)
	wantBytes(t, store, "a/b/c", "first")
	if err := store.Create(ctx, "empty", nil); err != nil {
		t.Fatal(err)
	}
	wantBytes(t, store, "empty", "")
	large := strings.Repeat("0123456789abcdef", 1<<16)
	if err := store.Create(ctx, "large", []byte(large)); err != nil {
		t.Fatal(err)
	}
	wantBytes(t, store, "large", large)
}

func testPut(t *testing.T, store warehouse.Store) {
	for _, data := range []string{"one", "a longer second", "", "four"} {
		if err := store.Put(context.Background(), "a/b", []byte(data)); err != nil {
			t.Fatal(err)
		}
		wantBytes(t, store, "a/b", data)
	}
	wantError(t, "Create after Put", store.Create(context.Background(), "a/b", nil), warehouse.ErrExists)
	wantKeys(t, store, "", "a/b")
}

func testDelete(t *testing.T, store warehouse.Store) {
	create(t, store, "a/b", "a/c")
	for _, key := range []string{"a/b", "a/b", "a/none", "no/such/folder", "a/c/below-a-file", "a"} {
		if err := store.Delete(context.Background(), key); err != nil {
			t.Errorf("Delete(%q): %v", key, err)
		}
	}
	wantMissing(t, store, "a/b")
	wantKeys(t, store, "", "a/c")
	create(t, store, "a/b")
	wantBytes(t, store, "a/b", "a/b")
}

func testOwnership(t *testing.T, store warehouse.Store) {
	ctx := context.Background()
	data := []byte("given")
	if err := store.Create(ctx, "k", data); err != nil {
		t.Fatal(err)
	}
	copy(data, "xxxxx")
	wantBytes(t, store, "k", "given")
	got, err := store.Get(ctx, "k", noLimit)
	if err != nil {
		t.Fatal(err)
	}
	copy(got, "yyyyy")
	wantBytes(t, store, "k", "given")
}

func testLimit(t *testing.T, store warehouse.Store) {
	if err := store.Create(context.Background(), "k", []byte("12345")); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Get(context.Background(), "k", 5); err != nil || string(got) != "12345" {
		t.Errorf("at the limit: %q, %v", got, err)
	}
	_, err := store.Get(context.Background(), "k", 4)
	wantError(t, "above the limit", err, warehouse.ErrTooLarge)
}

func testInvalidKeys(t *testing.T, store warehouse.Store) {
	ctx := context.Background()
	create(t, store, "a/b")
	for _, key := range []string{
		"", "/", "/a", "a/", "a//b", ".", "..", "a/..", "a/./b", "../a", "a/../../b",
		"a\x00b", "a\nb", "a\x7fb", "a\u0085b", "a\xffb",
		warehouse.TempPrefix + "x", "a/" + warehouse.TempPrefix + "x",
		strings.Repeat("a/", warehouse.MaxKey/2) + "a",
	} {
		_, err := store.Get(ctx, key, noLimit)
		wantError(t, "Get of "+key, err, warehouse.ErrInvalidKey)
		_, err = store.Stat(ctx, key)
		wantError(t, "Stat of "+key, err, warehouse.ErrInvalidKey)
		wantError(t, "Create of "+key, store.Create(ctx, key, nil), warehouse.ErrInvalidKey)
		wantError(t, "Stage of "+key, staging{store}.Create(ctx, key, nil), warehouse.ErrInvalidKey)
		wantError(t, "Put of "+key, store.Put(ctx, key, nil), warehouse.ErrInvalidKey)
		wantError(t, "Delete of "+key, store.Delete(ctx, key), warehouse.ErrInvalidKey)
		if key != "" && key != "a/" { // prefixes, but no keys
			_, err = list(store, key)
			wantError(t, "List of "+key, err, warehouse.ErrInvalidKey)
		}
	}
	wantKeys(t, store, "", "a/b")
}

func testOddKeys(t *testing.T, store warehouse.Store) {
	keys := []string{
		"a b/c d", "a%20b", "a%2Fb", "a+b", "a#b", "a?b", `a\b`, "a:b", "a*b", "~", "-rf", "...",
		".hidden", "ä", "a\u0308", "日本/東京", "\u2028", "🦆", "\ufffd", "'\"<>|&;$", "CON", "x" + strings.Repeat("y", 254),
		strings.Repeat("d/", warehouse.MaxKey/2-1) + "ef",
	}
	create(t, store, keys...)
	for _, key := range keys {
		wantBytes(t, store, key, key)
	}
	got, err := list(store, "")
	if err != nil || len(got) != len(keys) {
		t.Errorf("List: %d keys, %v; want %d", len(got), err, len(keys))
	}
	for _, key := range keys {
		if err := store.Delete(context.Background(), key); err != nil {
			t.Errorf("Delete(%q): %v", key, err)
		}
	}
	wantKeys(t, store, "")
}

// testKeysBeyondXML: a key that requests in XML cannot name is kept exactly, or refused; it
// is never taken for another one.
func testKeysBeyondXML(t *testing.T, store warehouse.Store) {
	ctx := context.Background()
	create(t, store, "b\ufffd/1", "c\ufffd")
	keys := []string{"b\ufffe/1", "b\uffff/1", "c\ufffe"}
	want := []string{"b\ufffd/1", "c\ufffd"}
	for _, key := range keys {
		if err := store.Create(ctx, key, []byte(key)); err == nil {
			wantBytes(t, store, key, key)
			want = append(want, key)
			continue
		}
		for call, err := range map[string]error{
			"Create": store.Create(ctx, key, nil), "Put": store.Put(ctx, key, nil), "Delete": store.Delete(ctx, key),
		} {
			wantError(t, fmt.Sprintf("%s of %q", call, key), err, warehouse.ErrInvalidKey)
		}
	}
	slices.Sort(want)
	wantKeys(t, store, "", want...)
	if many, ok := store.(warehouse.Batches); ok {
		many.DeleteAll(ctx, keys)
		wantBytes(t, store, "b\ufffd/1", "b\ufffd/1")
		wantBytes(t, store, "c\ufffd", "c\ufffd")
	}
}

func testCancelled(t *testing.T, store warehouse.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	wantError(t, "Create", store.Create(ctx, "a", nil), context.Canceled)
	wantError(t, "Stage", staging{store}.Create(ctx, "a", nil), context.Canceled)
	wantError(t, "Put", store.Put(ctx, "a", nil), context.Canceled)
	wantError(t, "Delete", store.Delete(ctx, "a"), context.Canceled)
	_, err := store.Get(ctx, "a", noLimit)
	wantError(t, "Get", err, context.Canceled)
	_, err = store.Stat(ctx, "a")
	wantError(t, "Stat", err, context.Canceled)
	create(t, store, "b")
	for _, err := range store.List(ctx, "") {
		wantError(t, "List", err, context.Canceled)
	}
	wantKeys(t, store, "", "b")
}
