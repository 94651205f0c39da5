package main

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/internal/postgrestest"
	store "puddle/internal/warehouse"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
	journalpostgres "puddle/journal/postgres"
	"puddle/projections"
	tablespostgres "puddle/projections/pointers/postgres"
	"puddle/projections/recorder"
	"puddle/rest/catalog/purge"
	marks "puddle/rest/catalog/purge/mark"
)

// hanging is a warehouse that does not answer its list.
type hanging struct{ store.Reader }

func (hanging) List(ctx context.Context, _ string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		<-ctx.Done()
		yield(store.Entry{}, ctx.Err())
	}
}

// A turn asks what is barred on its own connection, so that a pool whose others are in use
// does not stop it; and a warehouse that does not answer costs one turn, and not the lane.
func TestBarredTurnsInAFullPool(t *testing.T) {
	ctx, lake := t.Context(), uuid.New()
	db, err := journalpostgres.Open(ctx, journalpostgres.Options{URL: postgrestest.Shared(t).Open(t), MaxConnections: 2, Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tables, err := tablespostgres.Open(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	story, id := journaltest.NewStory(lake), journal.Identifier{Namespace: journal.Namespace{"n"}, Name: "t"}
	story.CreateNamespace(id.Namespace, nil)
	story.CreateTable(id)
	table := story.Objects[id.Key()].UUID
	journaltest.Append(t, db, journaltest.Entries(t, story.Drafts, journaltest.Start))
	if err := projections.CatchUp(ctx, db.Warehouse(lake), 0, tables.Warehouse(lake)); err != nil {
		t.Fatal(err)
	}
	files := memory.New()
	bar := purge.Bar{Own: files, Limit: time.Minute}
	rec, err := recorder.NewShared(ctx, barred{turns{tables}, func(uuid.UUID) (purge.Bar, bool) { return bar, true }}, recorder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	other, err := db.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Release()
	story.Drop(id, true)
	drop, err := rec.Record(ctx, story.Drafts[len(story.Drafts)-1])
	if err != nil {
		t.Fatal(err)
	}
	m := marks.Mark{Table: table, Drop: drop.ID, BegunAt: time.Now()}
	if err := marks.Write(ctx, files, m); err != nil {
		t.Fatal(err)
	}
	story.CreateTable(journal.Identifier{Namespace: id.Namespace, Name: "apart"})
	if _, err := rec.Record(ctx, story.Drafts[len(story.Drafts)-1]); err != nil {
		t.Errorf("apart from it: %v", err)
	}
	story.Undrop(table, id)
	back := story.Drafts[len(story.Drafts)-1]
	var conflict *projections.Conflict
	if _, err := rec.Record(ctx, back); !errors.As(err, &conflict) || conflict.Kind != projections.PurgeBegun {
		t.Errorf("it comes back: %v", err)
	}
	if err := marks.Remove(ctx, files, m.Drop); err != nil {
		t.Fatal(err)
	}
	bar = purge.Bar{Own: hanging{files}, Limit: time.Millisecond}
	if _, err := rec.Record(ctx, back); !errors.Is(err, recorder.ErrNotRecorded) || !errors.Is(err, journalpostgres.ErrBusy) {
		t.Errorf("nobody answers: %v", err)
	}
	bar.Own = files
	bar.Limit = time.Minute
	if _, err := rec.Record(ctx, back); err != nil {
		t.Errorf("somebody does: %v", err)
	}
}
