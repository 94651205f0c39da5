package postgres_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	journalpg "puddle/journal/postgres"
	"puddle/projections"
	"puddle/projections/pointers"
	"puddle/projections/pointers/postgres"
)

// While the database is away everything says so, what was under way too, and goes on when
// it is back.
func TestAway(t *testing.T) {
	server := postgrestest.New(t)
	r := start(t, server.Open(t))
	story := journaltest.NewStory(uuid.New())
	r.bear(t, story)
	in := journal.Namespace{"a"}
	story.CreateNamespace(in, nil)
	w := r.store.Warehouse(story.Warehouse)
	turn, err := r.store.BeginTurn(t.Context(), story.Warehouse, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	moment, err := w.Moment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server.Stop()
	away := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, journalpg.ErrAway) {
			t.Errorf("%s: %v", what, err)
		}
	}
	chain, _ := turn.Chain()
	entry, _, err := chain.Next(story.Drafts[0], turn.Now())
	if err != nil {
		t.Fatal(err)
	}
	away("a turn that asks for more", turn.Apply(t.Context(), entry.Event))
	if err := turn.Commit(t.Context(), []journal.Entry{entry}, nil); !errors.Is(err, projections.ErrTxOver) {
		t.Errorf("its commit: %v", err)
	}
	_, err = projections.Gather(moment)
	away("a moment", err)
	_, err = w.Namespace(t.Context(), in)
	away("a reader", err)
	_, err = w.Cursor(t.Context())
	away("the cursor", err)
	_, err = r.store.BeginTurn(t.Context(), story.Warehouse, story.Drafts, nil)
	away("a turn", err)
	away("a replay", w.Apply(t.Context(), entry.Event))
	_, err = postgres.Open(t.Context(), r.journal)
	away("a start", err)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Namespace(t.Context(), in); !errors.Is(err, projections.ErrNoNamespace) {
		t.Errorf("when it is back: %v", err)
	}
	r.turn(t, story.Warehouse, story.Drafts, nil)
}

// Tables that hold what cannot be are not taken for somebody else's turn.
func TestDamagedTables(t *testing.T) {
	r := start(t, postgrestest.Open(t))
	story := journaltest.NewStory(uuid.New())
	r.bear(t, story)
	story.CreateNamespace(journal.Namespace{"ns"}, nil)
	story.CreateTable(tableName(1))
	r.tell(t, story, 2)
	if _, err := r.journal.Pool().Exec(t.Context(), `UPDATE history SET step = 2`); err != nil {
		t.Fatal(err)
	}
	story.Commit(tableName(1))
	turn, err := r.store.BeginTurn(t.Context(), story.Warehouse, story.Drafts, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer turn.Rollback()
	chain, _ := turn.Chain()
	entry, _, err := chain.Next(story.Drafts[0], turn.Now())
	if err == nil {
		err = turn.Apply(t.Context(), entry.Event)
	}
	if err != nil {
		t.Fatal(err)
	}
	err = turn.Commit(t.Context(), []journal.Entry{entry}, nil)
	if !errors.Is(err, pointers.ErrCorrupt) || errors.Is(err, journal.ErrNotNext) {
		t.Errorf("a step that is there already: %v", err)
	}
	if head, err := r.journal.Warehouse(story.Warehouse).Head(t.Context()); err != nil || head != chain.Head {
		t.Errorf("the journal ends at %v, %v; want %v", head, err, chain.Head)
	}
}
