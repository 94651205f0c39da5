package postgres_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

// settle gives what the last draft of a story creates another place.
func settle(story *journaltest.Story, path string) {
	last := &story.Drafts[len(story.Drafts)-1]
	created := last.Body.(journal.TableCreated)
	to := *created.Moves[0].To
	to.Places = []journal.Place{{Path: path, Role: "location"}}
	created.Moves[0].To = &to
	last.Body = created
}

// Who is born above all that is dropped in the same turn is asked about in a handful of
// round trips, and who stays below is found.
func TestBirthAboveDrops(t *testing.T) {
	r := start(t, postgrestest.Open(t))
	story := journaltest.NewStory(uuid.New())
	r.bear(t, story)
	story.CreateNamespace(journal.Namespace{"ns"}, nil)
	const many = 500
	for i := range many {
		story.CreateTable(tableName(i))
		settle(story, fmt.Sprintf("//lake/all/%04d/", i))
	}
	r.tell(t, story, 512)
	last := many - 1
	stays := story.Objects[tableName(last).Key()].UUID
	for i := range last {
		story.Drop(tableName(i), false)
	}
	story.CreateTable(tableName(many))
	settle(story, "//lake/all/")
	drops, birth := story.Drafts[:last], story.Drafts[last:]
	story.Drop(tableName(last), false)
	all := append(append(drops[:last:last], story.Drafts[last+1]), birth[0])
	turn, err := r.store.BeginTurn(t.Context(), story.Warehouse, all, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer turn.Rollback()
	trips := turn.CountTrips()
	chain, _ := turn.Chain()
	apply := func(d journal.Draft) error {
		entry, next, err := chain.Next(d, turn.Now())
		if err == nil {
			err = turn.Apply(t.Context(), entry.Event)
		}
		if err == nil {
			chain = next
		}
		return err
	}
	for _, d := range all[:last] {
		if err := apply(d); err != nil {
			t.Fatal(err)
		}
	}
	var conflict *projections.Conflict
	if err := apply(birth[0]); !errors.As(err, &conflict) || conflict.Holder != stays {
		t.Errorf("above one that stays: %v", err)
	}
	for _, d := range all[last:] {
		if err := apply(d); err != nil {
			t.Errorf("above none that stays: %v", err)
		}
	}
	if *trips > 8 {
		t.Errorf("%d round trips", *trips)
	}
}
