package postgres_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

// What two replicas record in turns, of drafts some of which break a rule, is what the
// fold of the accepted ones holds, whatever was read ahead: nothing, everything, or
// something else.
func TestLawTurns(t *testing.T) {
	url := postgrestest.Open(t)
	one, two := start(t, url), start(t, url)
	rapid.Check(t, func(t *rapid.T) {
		warehouse := uuid.New() // the histories before stay
		attempts, _ := journaltest.DrawConflicting(t, warehouse)
		story := &journaltest.Story{Warehouse: warehouse, Drafts: []journal.Draft{attempts[0].Draft}}
		one.bear(t, story)
		attempts = attempts[1:]
		for writer, other := one, two; len(attempts) > 0; writer, other = other, writer {
			n := min(len(attempts), rapid.IntRange(1, 8).Draw(t, "group"))
			var drafts, foreseen []journal.Draft
			for _, a := range attempts[:n] {
				drafts = append(drafts, a.Draft)
			}
			ahead := rapid.SliceOfN(rapid.Bool(), len(attempts), len(attempts)).Draw(t, "foreseen")
			for i, a := range attempts {
				if ahead[i] {
					foreseen = append(foreseen, a.Draft)
				}
			}
			for i, err := range writer.turn(t, warehouse, drafts, foreseen) {
				rule := ""
				if c, ok := err.(*projections.Conflict); ok {
					rule = string(c.Kind)
				}
				if rule != attempts[i].Breaks {
					t.Fatalf("%s broke %q, want %q", drafts[i].Body.Kind(), rule, attempts[i].Breaks)
				}
			}
			attempts = attempts[n:]
		}
		state := projections.NewState(warehouse)
		if err := projections.CatchUp(t.Context(), one.journal.Warehouse(warehouse), 0, state); err != nil {
			t.Fatal(err)
		}
		want, err := state.Dump(t.Context())
		got, gotErr := two.store.Warehouse(warehouse).Dump(t.Context())
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil || gotErr != nil {
			t.Fatalf("%v, %v (-State +tables):\n%s", err, gotErr, diff)
		}
	})
}

// However many commits there are in a turn, a handful of statements carries them.
func TestStatements(t *testing.T) {
	r := start(t, postgrestest.Open(t))
	story := journaltest.NewStory(uuid.New())
	r.bear(t, story)
	story.CreateNamespace(journal.Namespace{"ns"}, nil)
	for i := range 100 {
		story.CreateTable(tableName(i))
	}
	r.tell(t, story, 512)
	for i := range 512 {
		story.Commit(tableName(i % 100))
	}
	turn, err := r.store.BeginTurn(t.Context(), story.Warehouse, story.Drafts, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer turn.Rollback()
	chain, _ := turn.Chain()
	for _, d := range story.Drafts {
		entry, next, err := chain.Next(d, turn.Now())
		if err == nil {
			err = turn.Apply(t.Context(), entry.Event)
		}
		if err != nil {
			t.Fatal(err)
		}
		chain = next
	}
	// Some of them have moved, which takes and gives places.
	if read, written := turn.Statements(story.Drafts); read != 1 || written > 5 {
		t.Errorf("%d statements read ahead, %d write", read, written)
	}
}

// Starters that replay a warehouse at the same time share the work, and nothing is
// applied twice.
func TestManyReplay(t *testing.T) {
	url := postgrestest.Open(t)
	story := journaltest.NewStory(uuid.New())
	story.CreateNamespace(journal.Namespace{"ns"}, nil)
	for i := range 1500 {
		story.CreateTable(tableName(i))
	}
	first := start(t, url)
	journaltest.Append(t, first.journal, journaltest.Entries(t, story.Drafts, journaltest.Start))
	ends := make(chan error)
	const starters = 3
	for range starters {
		r := start(t, url)
		go func() {
			ends <- projections.CatchUp(t.Context(), r.journal.Warehouse(story.Warehouse), 0, r.store.Warehouse(story.Warehouse))
		}()
	}
	for range starters {
		if err := <-ends; err != nil {
			t.Error(err)
		}
	}
	state := projections.NewState(story.Warehouse)
	if err := projections.CatchUp(t.Context(), first.journal.Warehouse(story.Warehouse), 0, state); err != nil {
		t.Fatal(err)
	}
	want, err := state.Dump(t.Context())
	got, gotErr := first.store.Warehouse(story.Warehouse).Dump(t.Context())
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil || gotErr != nil {
		t.Errorf("%v, %v (-State +tables):\n%s", err, gotErr, diff)
	}
}

// Paths and names may be longer than what an index of the server holds.
func TestLongPaths(t *testing.T) {
	r := start(t, postgrestest.Open(t))
	story := journaltest.NewStory(uuid.New())
	r.bear(t, story)
	level := string(bytes.Repeat([]byte("n"), journal.MaxLevelBytes))
	var in journal.Namespace
	for range 6 {
		in = append(slices.Clone(in), level)
		story.CreateNamespace(in, nil)
	}
	id := journal.Identifier{Namespace: in, Name: level}
	story.CreateTable(id)
	created := story.Drafts[len(story.Drafts)-1].Body.(journal.TableCreated)
	long := "//lake/" + string(bytes.Repeat([]byte("folder/"), 1000))
	to := *created.Moves[0].To
	to.Places = []journal.Place{{Path: long + "t/", Role: "location"}}
	created.Moves[0].To = &to
	story.Drafts[len(story.Drafts)-1].Body = created
	r.tell(t, story, 512)
	w := r.store.Warehouse(story.Warehouse)
	o, err := w.Object(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{long: true, long + "t/data/f": true, long + "u": false, "//lake/folder": true, "//pond": false} {
		holder, ok, err := w.PlaceHolder(t.Context(), path, uuid.Nil)
		if err != nil || ok != want || ok && holder != o.UUID {
			t.Errorf("%.40s…: %v, %v, %v", path, holder, ok, err)
		}
	}
	if names, err := w.Objects(t.Context(), in, journal.Table, projections.Page{}); err != nil || !slices.Equal(names, []string{level}) {
		t.Errorf("%d names, %v", len(names), err)
	}
}
