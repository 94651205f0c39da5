package faulty_test

import (
	"context"
	"errors"
	"testing"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/internal/warehouse/warehousetest"
)

func TestStore(t *testing.T) {
	warehousetest.Run(t, func(*testing.T) warehouse.Store { return faulty.New(memory.New(), nil) })
}

var errBroken = errors.New("broken")

// calls are the calls that change a store that holds "old", and what shows
// that they took effect.
var calls = map[faulty.Op]struct {
	run     func(*faulty.Store) error
	applied func(*memory.Store) bool
}{
	faulty.Create: {
		func(s *faulty.Store) error { return s.Create(context.Background(), "new", nil) },
		func(s *memory.Store) bool { return exists(s, "new") },
	},
	faulty.Put: {
		func(s *faulty.Store) error { return s.Put(context.Background(), "new", nil) },
		func(s *memory.Store) bool { return exists(s, "new") },
	},
	faulty.Delete: {
		func(s *faulty.Store) error { return s.Delete(context.Background(), "old") },
		func(s *memory.Store) bool { return !exists(s, "old") },
	},
	faulty.MakeFolder: {
		func(s *faulty.Store) error { return s.MakeFolder(context.Background(), "folder") },
		func(s *memory.Store) bool {
			return errors.Is(s.Create(context.Background(), "folder", nil), warehouse.ErrExists)
		},
	},
}

func exists(store warehouse.Reader, key string) bool {
	_, err := store.Stat(context.Background(), key)
	return err == nil
}

func TestFaultBeforeAndAfter(t *testing.T) {
	for op, call := range calls {
		for _, fault := range []faulty.Fault{faulty.Before(errBroken), faulty.After(errBroken)} {
			inner := memory.New()
			if err := inner.Create(context.Background(), "old", nil); err != nil {
				t.Fatal(err)
			}
			store := faulty.New(inner, only(op, fault))
			if err := call.run(store); !errors.Is(err, errBroken) {
				t.Errorf("%s %+v: error %v", op, fault, err)
			}
			if got := call.applied(inner); got != fault.Applied {
				t.Errorf("%s %+v: applied %v", op, fault, got)
			}
		}
	}
}

func only(op faulty.Op, fault faulty.Fault) faulty.Hook {
	return func(at faulty.Op, _ string) faulty.Fault {
		if at == op {
			return fault
		}
		return faulty.Fault{}
	}
}

func TestReadsFail(t *testing.T) {
	inner := memory.New()
	store := faulty.New(inner, func(faulty.Op, string) faulty.Fault { return faulty.Before(errBroken) })
	if err := inner.Create(context.Background(), "old", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Get(context.Background(), "old", 1); !errors.Is(err, errBroken) {
		t.Errorf("Get: %v", err)
	}
	if _, err := store.Stat(context.Background(), "old"); !errors.Is(err, errBroken) {
		t.Errorf("Stat: %v", err)
	}
	if err := store.CheckFolder(context.Background(), "folder"); !errors.Is(err, errBroken) {
		t.Errorf("CheckFolder: %v", err)
	}
}

func TestListFailsAtStartOrEnd(t *testing.T) {
	inner := memory.New()
	if err := inner.Create(context.Background(), "old", nil); err != nil {
		t.Fatal(err)
	}
	for fault, want := range map[faulty.Fault]int{faulty.Before(errBroken): 0, faulty.After(errBroken): 1} {
		seen, last := 0, error(nil)
		for _, err := range faulty.New(inner, only(faulty.List, fault)).List(context.Background(), "") {
			if last = err; err == nil {
				seen++
			}
		}
		if seen != want || !errors.Is(last, errBroken) {
			t.Errorf("%+v: %d entries, then %v", fault, seen, last)
		}
	}
}

// TestOwnErrorWins: a fault after a call that did nothing would be a lie.
func TestOwnErrorWins(t *testing.T) {
	inner := memory.New()
	store := faulty.New(inner, only(faulty.Create, faulty.After(errBroken)))
	if err := inner.Create(context.Background(), "old", nil); err != nil {
		t.Fatal(err)
	}
	if err := store.Create(context.Background(), "old", nil); !errors.Is(err, warehouse.ErrExists) {
		t.Errorf("error %v, want ErrExists", err)
	}
}
