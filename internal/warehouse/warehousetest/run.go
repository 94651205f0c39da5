package warehousetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"puddle/internal/warehouse"
)

// Run runs the suite. open returns a new, empty store that lives as long as
// the test it is given.
func Run(t *testing.T, open func(t *testing.T) warehouse.Store) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, warehouse.Store)
	}{
		{"create, get, stat", testCreate},
		{"stage, get, stat", testStage},
		{"put replaces", testPut},
		{"delete is idempotent", testDelete},
		{"bytes belong to who holds them", testOwnership},
		{"limit of get", testLimit},
		{"invalid keys", testInvalidKeys},
		{"odd keys are kept exactly", testOddKeys},
		{"keys beyond XML", testKeysBeyondXML},
		{"list is in key order", testListOrder},
		{"case 130: prefixes are whole segments", testListPrefix},
		{"list stops when told", testListStops},
		{"cancelled context", testCancelled},
		{"32 creates, one winner", testCreateRace},
		{"32 stages, one winner", testStageRace},
		{"no torn reads during put", testPutRace},
		{"folder and file do not collide", testCollision},
		{"folders", testFolders},
		{"folders are checked", testCheckFolder},
		{"what is the same", testSame},
		{"many keys at once", testBatches},
		{"more keys than one request takes", testManyKeys},
		{"law: a store is a map", testLaw},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

const noLimit = 1 << 30

func create(t rapid.TB, store warehouse.Store, keys ...string) {
	t.Helper()
	for _, key := range keys {
		if err := store.Create(context.Background(), key, []byte(key)); err != nil {
			t.Fatalf("Create(%q): %v", key, err)
		}
	}
}

func wantBytes(t rapid.TB, store warehouse.Reader, key, want string) {
	t.Helper()
	got, err := store.Get(context.Background(), key, noLimit)
	if err != nil || string(got) != want {
		t.Errorf("Get(%q) = %q, %v; want %q", key, got, err, want)
	}
	info, err := store.Stat(context.Background(), key)
	if err != nil || info.Size != int64(len(want)) {
		t.Errorf("Stat(%q) = %+v, %v; want size %d", key, info, err, len(want))
	}
	got, is, err := warehouse.Fetch(context.Background(), store, key, noLimit)
	if err != nil || string(got) != want || !is.Same(info) {
		t.Errorf("Fetch(%q) = %q, %+v, %v; Stat = %+v", key, got, is, err, info)
	}
}

func wantMissing(t rapid.TB, store warehouse.Reader, key string) {
	t.Helper()
	_, err := store.Get(context.Background(), key, noLimit)
	wantError(t, "Get of "+key, err, warehouse.ErrNotFound)
	_, err = store.Stat(context.Background(), key)
	wantError(t, "Stat of "+key, err, warehouse.ErrNotFound)
}

func wantError(t rapid.TB, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

func wantKeys(t rapid.TB, store warehouse.Reader, prefix string, want ...string) {
	t.Helper()
	got, err := list(store, prefix)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("List(%q) = %q, %v; want %q", prefix, got, err, want)
	}
}

func list(store warehouse.Reader, prefix string) ([]string, error) {
	var keys []string
	for entry, err := range store.List(context.Background(), prefix) {
		if err != nil {
			return keys, err
		}
		keys = append(keys, entry.Key)
	}
	return keys, nil
}
