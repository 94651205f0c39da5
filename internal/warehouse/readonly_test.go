package warehouse_test

import (
	"context"
	"errors"
	"testing"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/memory"
)

func TestReadOnly(t *testing.T) {
	ctx := t.Context()
	under := memory.New()
	if err := under.Put(ctx, "a/x", []byte("kept")); err != nil {
		t.Fatal(err)
	}
	s := warehouse.ReadOnly(under)
	for what, write := range map[string]func(context.Context) error{
		"create": func(ctx context.Context) error { return s.Create(ctx, "a/y", nil) },
		"stage":  func(ctx context.Context) error { _, err := s.Stage(ctx, "a/y", nil); return err },
		"put":    func(ctx context.Context) error { return s.Put(ctx, "a/x", []byte("other")) },
		"delete": func(ctx context.Context) error { return s.Delete(ctx, "a/x") },
	} {
		if err := write(ctx); !errors.Is(err, warehouse.ErrReadOnly) {
			t.Errorf("%s: %v", what, err)
		}
	}
	data, info, err := warehouse.Fetch(ctx, s, "a/x", 10)
	if err != nil || string(data) != "kept" || info.Size != 4 {
		t.Errorf("fetched %q, %+v, %v", data, info, err)
	}
	n := 0
	for entry, err := range s.List(ctx, "") {
		if n++; err != nil || entry.Key != "a/x" {
			t.Errorf("listed %q, %v", entry.Key, err)
		}
	}
	if _, ok := s.(warehouse.Folders); ok || n != 1 {
		t.Errorf("it makes folders: %v; %d keys", ok, n)
	}
}
