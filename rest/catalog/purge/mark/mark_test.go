package mark_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/rest/catalog/purge/mark"
)

var ctx = context.Background()

var one = mark.Mark{
	Table:   uuid.MustParse("0199a3c2-7f4e-4c11-9d52-3b8f6a1e0c47"),
	Drop:    uuid.MustParse("0199a3c2-7f4f-7a05-8e21-5d9c4b7f1a33"),
	BegunAt: time.Date(2026, 9, 24, 10, 0, 0, 123e6, time.UTC),
}

const key = "_puddle/purges/0199a3c2-7f4f-7a05-8e21-5d9c4b7f1a33.json"

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// frozen is the mark of format version 1.
func frozen(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../../../fixtures/formats/v1/purge-mark.json")
	must(t, err)
	return string(data)
}

// wantFound looks for the mark.
func wantFound(t *testing.T, store warehouse.Reader, want mark.Mark) {
	t.Helper()
	if m, there, err := mark.Find(ctx, store, one.Drop); err != nil || !there || m != want {
		t.Errorf("found %+v, %v, %v", m, there, err)
	}
}

func TestBytes(t *testing.T) {
	store := memory.New()
	local := one
	local.BegunAt = one.BegunAt.In(time.FixedZone("", 7200))
	must(t, mark.Write(ctx, store, local))
	data, err := store.Get(ctx, key, 1<<10)
	must(t, err)
	if string(data) != frozen(t) || mark.Key(one.Drop) != key {
		t.Errorf("written as %s:\n%s", mark.Key(one.Drop), data)
	}
}

// Frozen bytes are read for ever, and with members that this build does not know.
func TestLaw9_FrozenBytesDecode(t *testing.T) {
	for _, data := range []string{frozen(t), strings.Replace(frozen(t), "{", `{"new": [1],`, 1)} {
		store := memory.New()
		must(t, store.Put(ctx, key, []byte(data)))
		wantFound(t, store, one)
		for m, err := range mark.All(ctx, store) {
			if err != nil || m != one {
				t.Errorf("all: %+v, %v", m, err)
			}
		}
	}
}

// The moment of the first time stays.
func TestWriteAgain(t *testing.T) {
	store := memory.New()
	must(t, mark.Write(ctx, store, one))
	later := one
	later.BegunAt = one.BegunAt.Add(time.Hour)
	must(t, mark.Write(ctx, store, later))
	wantFound(t, store, one)
	must(t, mark.Remove(ctx, store, one.Drop))
	must(t, mark.Remove(ctx, store, one.Drop))
	if _, there, err := mark.Find(ctx, store, one.Drop); there || err != nil {
		t.Errorf("removed, and found: %v", err)
	}
}

// A mark that says nothing to this build is a mark, but its table is not known.
func TestUnreadable(t *testing.T) {
	for name, data := range map[string]string{
		"empty": "", "torn": frozen(t)[:40], "large": strings.Repeat(" ", 1<<17),
		"newer":   strings.Replace(frozen(t), `"format-version": 1`, `"format-version": 2`, 1),
		"other":   strings.Replace(frozen(t), "7a05", "7a06", 1),
		"no time": strings.Replace(frozen(t), "2026-", "x", 1),
		"table":   strings.Replace(frozen(t), `"table"`, `"tables"`, 1),
	} {
		store := memory.New()
		must(t, store.Put(ctx, key, []byte(data)))
		t.Run(name, func(t *testing.T) { wantFound(t, store, mark.Mark{Drop: one.Drop}) })
		for m, err := range mark.All(ctx, store) {
			t.Errorf("%s: all yields %+v, %v", name, m, err)
		}
		must(t, mark.Write(ctx, store, one))
		wantFound(t, store, one)
	}
}

// A store that does not answer says neither.
func TestNoAnswer(t *testing.T) {
	silent := errors.New("silent")
	for op, do := range map[faulty.Op]func(warehouse.Store) error{
		faulty.Get:    func(s warehouse.Store) error { _, _, err := mark.Find(ctx, s, one.Drop); return err },
		faulty.Put:    func(s warehouse.Store) error { return mark.Write(ctx, s, one) },
		faulty.Delete: func(s warehouse.Store) error { return mark.Remove(ctx, s, one.Drop) },
		faulty.List: func(s warehouse.Store) (last error) {
			for _, err := range mark.All(ctx, s) {
				last = err
			}
			return last
		},
	} {
		store := faulty.New(memory.New(), func(did faulty.Op, _ string) faulty.Fault {
			if did == op {
				return faulty.Before(silent)
			}
			return faulty.Fault{}
		})
		if err := do(store); !errors.Is(err, silent) {
			t.Errorf("%s: %v", op, err)
		}
	}
}
