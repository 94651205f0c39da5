package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	journalpg "puddle/journal/postgres"
	"puddle/projections"
	"puddle/projections/pointers/postgres"
)

// replica is a process.
type replica struct {
	journal *journalpg.DB
	store   *postgres.Store
}

func start(t testing.TB, url string) replica {
	t.Helper()
	db := openJournal(t, url)
	return replica{db, open(t, db)}
}

// bear begins the history of a warehouse, and brings the tables there.
func (r replica) bear(t rapid.TB, story *journaltest.Story) {
	t.Helper()
	journaltest.Append(t, r.journal, journaltest.Entries(t, story.Drafts[:1], journaltest.Start))
	story.Drafts = story.Drafts[1:]
	r.catchUp(t, story.Warehouse)
}

func (r replica) catchUp(t rapid.TB, id uuid.UUID) {
	t.Helper()
	if err := projections.CatchUp(context.Background(), r.journal.Warehouse(id), 0, r.store.Warehouse(id)); err != nil {
		t.Fatal(err)
	}
}

// turn records drafts in one turn, those that no rule refuses, and answers the
// refusals. The turn reads ahead for the drafts that are foreseen.
func (r replica) turn(t rapid.TB, warehouse uuid.UUID, drafts, foreseen []journal.Draft) (refused []error) {
	t.Helper()
	ctx := context.Background()
	turn, err := r.store.BeginTurn(ctx, warehouse, foreseen, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer turn.Rollback()
	chain, born := turn.Chain()
	if !born {
		t.Fatal("the warehouse is not born")
	}
	var entries []journal.Entry
	for _, d := range drafts {
		entry, next, err := chain.Next(d, turn.Now())
		if err != nil {
			t.Fatal(err)
		}
		err = turn.Apply(ctx, entry.Event)
		if _, conflict := errors.AsType[*projections.Conflict](err); err != nil && !conflict {
			t.Fatal(err)
		}
		refused = append(refused, err)
		if err == nil {
			entries, chain = append(entries, entry), next
		}
	}
	if err := turn.Commit(ctx, entries, nil); err != nil {
		t.Fatal(err)
	}
	return refused
}

// Journal and pointers are committed together, and not at all.
func TestTurn(t *testing.T) {
	r := start(t, postgrestest.Open(t))
	story := journaltest.NewStory(uuid.New())
	r.bear(t, story)
	in, id := journal.Namespace{"a"}, journal.Identifier{Namespace: journal.Namespace{"a"}, Name: "t"}
	story.CreateNamespace(in, nil)
	story.CreateTable(id)
	turn, err := r.store.BeginTurn(t.Context(), story.Warehouse, story.Drafts, nil)
	if err != nil {
		t.Fatal(err)
	}
	chain, _ := turn.Chain()
	entry, _, err := chain.Next(story.Drafts[0], turn.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := turn.Apply(t.Context(), entry.Event); err != nil {
		t.Fatal(err)
	}
	turn.Rollback()
	if _, err := r.store.Warehouse(story.Warehouse).Namespace(t.Context(), in); !errors.Is(err, projections.ErrNoNamespace) {
		t.Errorf("after a rollback: %v", err)
	}
	if err := turn.Commit(t.Context(), []journal.Entry{entry}, nil); !errors.Is(err, projections.ErrTxOver) {
		t.Errorf("commit after a rollback: %v", err)
	}
	r.turn(t, story.Warehouse, story.Drafts, story.Drafts)
	if _, err := r.store.Warehouse(story.Warehouse).Object(t.Context(), id); err != nil {
		t.Error(err)
	}
	head, err := r.journal.Warehouse(story.Warehouse).Head(t.Context())
	cursor, cursorErr := r.store.Warehouse(story.Warehouse).Cursor(t.Context())
	if err != nil || cursorErr != nil || head != cursor {
		t.Errorf("head %v, %v; cursor %v, %v", head, err, cursor, cursorErr)
	}
}

// Tables that lack events are not written to by turns, until they have them.
func TestTurnOfTablesThatAreBehind(t *testing.T) {
	r := start(t, postgrestest.Open(t))
	story := journaltest.NewStory(uuid.New())
	journaltest.Append(t, r.journal, journaltest.Entries(t, story.Drafts, journaltest.Start))
	if _, err := r.store.BeginTurn(t.Context(), story.Warehouse, nil, nil); !errors.Is(err, postgres.ErrBehind) {
		t.Errorf("before the birth was applied: %v", err)
	}
	r.catchUp(t, story.Warehouse)
	turn, err := r.store.BeginTurn(t.Context(), story.Warehouse, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	turn.Rollback()
}
