package projectiontest

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

// testLineage: a projection that stands in an earlier incarnation goes on through
// those that continue it. Each begins with nothing but the history.
func testLineage(t *testing.T, open func(testing.TB) Opened) {
	id := uuid.New()
	entries := journaltest.Entries(t, tableDrafts(id, 20), journaltest.Start)
	j := journalOf(t, entries)
	behind, anew, state := open(t).Store.Warehouse(id), open(t).Store.Warehouse(id), projections.NewState(id)
	catchUp(t, j.Warehouse(id), 10, behind)

	head := entries[len(entries)-1].Event.Position
	story := journaltest.NewStory(id)
	story.CreateNamespace(ns("a"), nil)
	story.CreateTable(ident("a", "again"))
	story.Drafts[0].Body = journal.IncarnationStarted{Build: "test", Location: "s3://lake/wh", Name: "lake", Parent: &head, Reason: "recovery"}
	chain := journal.NewChain(id, uuid.New(), 1_000_000)
	for _, d := range story.Drafts {
		entry, next, err := chain.Next(d, journal.At(journaltest.Start))
		if err != nil {
			t.Fatal(err)
		}
		journaltest.Append(t, j, []journal.Entry{entry})
		chain = next
	}

	lineage := journal.Lineage(j, id)
	for _, p := range []projections.Projection{behind, anew, state} {
		catchUp(t, lineage, 0, p)
	}
	same(t, "went on", behind, "State", state)
	same(t, "made anew", anew, "State", state)
	tables, err := behind.Objects(context.Background(), ns("a"), journal.Table, projections.Page{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "tables after the second incarnation began", tables, []string{"again"})
	old := entries[len(entries)-1].Event.Moves()[0]
	steps, err := behind.Steps(context.Background(), old.UUID)
	if err != nil || len(steps) != 1 {
		t.Errorf("steps of a table of the first incarnation: %v, %v", steps, err)
	}
}
