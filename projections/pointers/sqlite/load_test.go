package sqlite

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

func openLoad(t testing.TB) *DB {
	t.Helper()
	db, err := Open(filepath.Join(t.TempDir(), "puddle.db"), Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// What is loaded is what is applied, whatever an interrupted load has left,
// and also when memory is for fewer objects than there are.
func TestLoad(t *testing.T) {
	db, id := openLoad(t), uuid.New()
	w := db.Warehouse(id)
	rapid.Check(t, func(t *rapid.T) {
		var events []journal.Event
		for _, entry := range journaltest.Entries(t, journaltest.Draw(t, id), journaltest.Start) {
			events = append(events, entry.Event)
		}
		limit := rapid.IntRange(0, 8).Draw(t, "limit")
		stop := rapid.IntRange(0, len(events)).Draw(t, "stop")
		if err := w.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		interrupted := begin(t, w, limit)
		feed(t, interrupted, events[:stop])
		if err := errors.Join(interrupted.goOn(), interrupted.Rollback()); err != nil {
			t.Fatal(err)
		}
		if cursor, err := w.Cursor(t.Context()); err != nil || !cursor.IsZero() {
			t.Fatalf("cursor %s, %v of a load that was rolled back", cursor, err)
		}
		whole := begin(t, w, limit)
		feed(t, whole, events)
		if err := errors.Join(whole.Commit(t.Context()), whole.Rollback()); err != nil {
			t.Fatal(err)
		}
		held, err := w.Dump(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		state := projections.NewState(id)
		if err := state.Apply(t.Context(), events...); err != nil {
			t.Fatal(err)
		}
		want, _ := state.Dump(t.Context())
		if diff := cmp.Diff(want, held, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// begin loads with memory for so many objects; of more than six, for all.
func begin(t *rapid.T, w projections.Warehouse, limit int) *load {
	t.Helper()
	l, err := w.(projections.Loader).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if limit <= 6 {
		l.(*load).warm.limit = limit
	}
	return l.(*load)
}

// feed applies in small batches.
func feed(t *rapid.T, l *load, events []journal.Event) {
	t.Helper()
	for len(events) > 0 {
		n := rapid.IntRange(1, len(events)).Draw(t, "batch")
		if err := l.Apply(t.Context(), events[:n]...); err != nil {
			t.Fatal(err)
		}
		events = events[n:]
	}
}

// What a replay refuses, a load refuses: here objects that contradict each other.
func TestLoadRefuses(t *testing.T) {
	db, id := openLoad(t), uuid.New()
	w := db.Warehouse(id)
	rapid.Check(t, func(t *rapid.T) {
		if err := w.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		attempts, _ := journaltest.DrawConflicting(t, id)
		state, l := projections.NewState(id), begin(t, w, 7)
		defer l.Rollback()
		chain := journal.NewChain(id, journaltest.Incarnation(id), 0)
		for _, a := range attempts {
			entry, next, err := chain.Next(a.Draft, journal.At(journaltest.Start))
			if err != nil {
				t.Fatal(err)
			}
			var want, got *projections.Conflict
			errors.As(state.Apply(t.Context(), entry.Event), &want)
			errors.As(l.Apply(t.Context(), entry.Event), &got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatal(diff)
			}
			if got != nil {
				return
			}
			chain = next
		}
	})
}

// A load is of an empty warehouse, and the only writer.
func TestLoadIsAlone(t *testing.T) {
	db, id := openLoad(t), uuid.New()
	w := db.Warehouse(id)
	story := journaltest.NewStory(id)
	e := journaltest.Entries(t, story.Drafts, journaltest.Start)[0].Event
	l, err := w.(projections.Loader).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Apply(t.Context(), e), l.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := l.Apply(t.Context(), e); !errors.Is(err, projections.ErrTxOver) {
		t.Errorf("applied after the end: %v", err)
	}
	if _, err := w.(projections.Loader).Load(t.Context()); !errors.Is(err, projections.ErrGap) {
		t.Errorf("loaded twice: %v", err)
	}
	if err := w.Reset(t.Context()); err != nil {
		t.Errorf("the writer is not free: %v", err)
	}
}
