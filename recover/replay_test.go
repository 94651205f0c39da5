package recover_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/recover"
)

func replay(t *testing.T, w *world, id uuid.UUID) (recover.Replayed, error) {
	t.Helper()
	return recover.Replay(t.Context(), "a", w.journal.Warehouse(id), w.tables.Warehouse(id), nil)
}

func TestReplay(t *testing.T) {
	w, id := born(t)
	w.happen(id, 600)
	for _, want := range []recover.Replayed{
		{Outcome: recover.Rebuilt, Events: 601},
		{Outcome: recover.Current},
		{Outcome: recover.CaughtUp, Events: 7},
	} {
		if want.Outcome == recover.CaughtUp {
			w.happen(id, 7)
		}
		if got, err := replay(t, w, id); err != nil || got != want {
			t.Errorf("replayed %+v, %v; want %+v", got, err, want)
		}
	}
	fold := projections.NewState(id)
	w.must(fold.Apply(t.Context(), journaltest.Events(t, w.journal.Warehouse(id), 0)...))
	cursor, err := w.tables.Warehouse(id).Cursor(t.Context())
	if want, _ := fold.Cursor(t.Context()); err != nil || cursor != want {
		t.Errorf("cursor %s, %v; want %s", cursor, err, want)
	}
}

func TestReplayTellsItsProgress(t *testing.T) {
	w, id := born(t)
	w.happen(id, 1200)
	var seen []journal.Seq
	_, err := recover.Replay(t.Context(), "a", w.journal.Warehouse(id), w.tables.Warehouse(id), func(done, head journal.Seq) {
		if head != 1201 {
			t.Errorf("head is %d", head)
		}
		seen = append(seen, done)
	})
	if err != nil || len(seen) != 3 || seen[2] != 1201 {
		t.Errorf("progress %v, %v", seen, err)
	}
}

// Law 7: no projection is ahead of its journal, and none is of another history.
func TestLaw7_ForeignTablesAreRefused(t *testing.T) {
	w, id := born(t)
	w.happen(id, 3)
	if _, err := replay(t, w, id); err != nil {
		t.Fatal(err)
	}
	w.rollBack(1)
	_, err := replay(t, w, id)
	refusedWith(t, err, "puddle recover --warehouse a")
	if !errors.As(err, new(*recover.Refusal)) {
		t.Fatal(err)
	}
	w.happen(id, 9)
	_, err = replay(t, w, id)
	refusedWith(t, err, "puddle recover --warehouse a")
}

// Tables that stand at a place in the journal and contradict it are made anew.
func TestContradictingTablesAreRebuilt(t *testing.T) {
	w, id := born(t)
	w.happen(id, 3)
	p := &spoilt{Projection: w.tables.Warehouse(id)}
	got, err := recover.Replay(t.Context(), "a", w.journal.Warehouse(id), p, nil)
	if err != nil || got.Outcome != recover.Rebuilt || got.Events != 4 || got.Because == nil || p.resets != 1 {
		t.Errorf("replayed %+v, %v after %d resets", got, err, p.resets)
	}
}

// A journal that no empty projection can follow is in doubt itself.
func TestContradictionAfterAReset(t *testing.T) {
	w, id := born(t)
	w.happen(id, 3)
	p := &spoilt{Projection: w.tables.Warehouse(id), always: true}
	_, err := recover.Replay(t.Context(), "a", w.journal.Warehouse(id), p, nil)
	refusedWith(t, err, "puddle recover --warehouse a")
}

// spoilt holds what no event allows, until it is reset.
type spoilt struct {
	projections.Projection
	resets int
	always bool
}

func (s *spoilt) Apply(ctx context.Context, events ...journal.Event) error {
	if s.resets == 0 || s.always {
		return &projections.Conflict{Kind: projections.NamespaceExists}
	}
	return s.Projection.Apply(ctx, events...)
}

func (s *spoilt) Reset(ctx context.Context) error {
	s.resets++
	return s.Projection.Reset(ctx)
}

type tables []uuid.UUID

func (l tables) Held(context.Context) ([]uuid.UUID, error) { return l, nil }

func TestStrayTables(t *testing.T) {
	w, id := born(t)
	if err := recover.Stray(t.Context(), w.journal, tables{}); err != nil {
		t.Error(err)
	}
	if err := recover.Stray(t.Context(), w.journal, tables{id}); err != nil {
		t.Error(err)
	}
	err := recover.Stray(t.Context(), w.journal, tables{id, uuid.New()})
	refusedWith(t, err, "puddle recover --from metastore")
	err = recover.Stray(t.Context(), journal.NewMemory(), tables{id})
	refusedWith(t, err, "puddle recover --from metastore")
}
