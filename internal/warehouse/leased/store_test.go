package leased_test

import (
	"context"
	"errors"
	"testing"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/leased"
	"puddle/internal/warehouse/memory"
	"puddle/internal/warehouse/warehousetest"
)

// While the lease is held it is the store below.
func TestStore(t *testing.T) {
	warehousetest.Run(t, func(*testing.T) warehouse.Store { return leased.New(memory.New(), func() error { return nil }) })
}

// When the lease is lost every write is refused with the reason and changes nothing;
// reads are answered.
func TestLost(t *testing.T) {
	ctx, lost, under := context.Background(), errors.New("lost"), memory.New()
	if err := under.Put(ctx, "a", []byte("1")); err != nil {
		t.Fatal(err)
	}
	var why error
	roots := leased.Roots(warehouse.Roots{{URL: "one", Store: under}}, func() error { return why })
	s := roots[0].Store
	if err := s.Put(ctx, "b", []byte("2")); err != nil || roots[0].URL != "one" {
		t.Fatal(err)
	}
	why = lost
	_, staged := s.Stage(ctx, "c", nil)
	for name, err := range map[string]error{
		"create": s.Create(ctx, "c", nil), "stage": staged, "put": s.Put(ctx, "a", nil), "delete": s.Delete(ctx, "a"),
	} {
		if !errors.Is(err, lost) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if data, err := s.Get(ctx, "a", 9); err != nil || string(data) != "1" {
		t.Errorf("read %q, %v", data, err)
	}
	keys := 0
	for _, err := range s.List(ctx, "") {
		if keys++; err != nil {
			t.Fatal(err)
		}
	}
	if keys != 2 {
		t.Errorf("%d keys", keys)
	}
}

// many is a store that deletes many keys at once.
type many struct{ *memory.Store }

func (m many) StatAll(_ context.Context, keys []string) ([]warehouse.Info, []error) {
	return make([]warehouse.Info, len(keys)), make([]error, len(keys))
}

func (m many) DeleteAll(_ context.Context, keys []string) []error { return make([]error, len(keys)) }

// What does for many keys at once does so while the lease is held, and refuses each key when
// it is lost. What does not is not said to.
func TestBatches(t *testing.T) {
	lost := errors.New("lost")
	var why error
	s, ok := leased.New(many{memory.New()}, func() error { return why }).(warehouse.Batches)
	if !ok {
		t.Fatal("no batches")
	}
	keys := []string{"a", "b"}
	for _, why = range []error{nil, lost} {
		errs := s.DeleteAll(t.Context(), keys)
		if len(errs) != 2 || !errors.Is(errs[0], why) || !errors.Is(errs[1], why) {
			t.Errorf("%v: %v", why, errs)
		}
		if infos, errs := s.StatAll(t.Context(), keys); len(infos) != 2 || len(errs) != 2 || errs[0] != nil {
			t.Errorf("%v: reads are refused: %v", why, errs)
		}
	}
	if _, ok := leased.New(memory.New(), nil).(warehouse.Batches); ok {
		t.Error("batches of a store without")
	}
}
