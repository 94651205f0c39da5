package anchor_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections/anchor"
)

// named is what another catalog has written to a warehouse, if it is of an incarnation.
func named(t *testing.T, store warehouse.Store, incarnation uuid.UUID, seq journal.Seq, event journal.Event) {
	t.Helper()
	position := journal.Position{Incarnation: incarnation, Seq: seq, Hash: event.Hash}
	if err := anchor.Raise(context.Background(), store, anchor.Head{Position: position, At: event.At, WrittenAt: event.At}); err != nil {
		t.Fatal(err)
	}
}

// A history that the journal does not hold is never written over, nor taken for its own.
func TestAnotherHistoryIsThere(t *testing.T) {
	for name, test := range map[string]struct {
		seq  journal.Seq
		want error
	}{
		"later": {1 << 20, anchor.ErrOtherHistory}, "at the same seq": {1, anchor.ErrOtherHistory},
	} {
		synctest.Test(t, func(t *testing.T) {
			h, store := newHistory(t), newPuts()
			event := h.grow(t)
			other := uuid.New()
			named(t, store.Store, other, test.seq, event)
			puts := len(store.at())
			var told error
			f := anchor.Follow(store, h.Memory, h.id, func(err error) { told = err })
			f.Wake()
			synctest.Wait()
			if !errors.Is(told, test.want) || !f.State().Written.IsZero() || len(store.at()) != puts {
				t.Errorf("%s: told %v, written %s", name, told, f.State().Written)
			}
			if err := f.Stop(ctx); err != nil {
				t.Error(err)
			}
			if head, _, err := anchor.ReadHead(ctx, store); err != nil || head.Incarnation != other {
				t.Errorf("%s: %s, %v", name, head, err)
			}
		})
	}
}

// lineage is what a journal holds.
type lineage struct {
	journal.Histories
	all []journal.Incarnation
}

func (l lineage) Incarnations(context.Context, uuid.UUID) ([]journal.Incarnation, error) {
	return l.all, nil
}

// What the journal holds is its own, whether it is current or not, and so is what was
// before the recovery that it begins with.
func TestCheckBeside(t *testing.T) {
	born, now, other := uuid.New(), uuid.New(), uuid.New()
	left := journal.Incarnation{ID: born, First: 1, Head: journal.Position{Incarnation: born, Seq: 9}}
	current := journal.Incarnation{ID: now, First: 100, Head: journal.Position{Incarnation: now, Seq: 120}, Parent: &left.Head, Current: true}
	both := lineage{all: []journal.Incarnation{left, current}}
	begun := lineage{all: []journal.Incarnation{current}}
	for name, test := range map[string]struct {
		of          journal.Histories
		incarnation uuid.UUID
		seq         journal.Seq
		want        error
	}{
		"current":                   {both, now, 130, nil},
		"left":                      {both, born, 500, nil},
		"not held, before":          {begun, born, 9, nil},
		"another, at the beginning": {both, other, 100, anchor.ErrOtherHistory},
		"another, later":            {begun, other, 121, anchor.ErrOtherHistory},
		"before birth":              {lineage{}, other, 121, nil},
	} {
		if err := anchor.CheckBeside(ctx, test.of, uuid.New(), test.incarnation, test.seq); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}
