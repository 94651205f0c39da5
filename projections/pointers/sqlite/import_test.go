package sqlite_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

// TestCompareOfAnImport: after a stop that was not clean, history that was imported is
// compared too.
func TestCompareOfAnImport(t *testing.T) {
	ctx, id := context.Background(), uuid.New()
	old := journaltest.NewStory(id)
	old.CreateNamespace(journal.Namespace{"ns"}, nil)
	old.CreateTable(tableName(0))
	old.CreateTable(tableName(1))
	old.Commit(tableName(0))
	lost := projections.NewState(id)
	for _, e := range journaltest.Entries(t, old.Drafts, journaltest.Start) {
		if err := lost.Apply(ctx, e.Event); err != nil {
			t.Fatal(err)
		}
	}
	moment, err := lost.Moment(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var steps []journal.ImportedStep
	for s := range moment.History() {
		steps = append(steps, projections.ImportOf(s))
	}
	at, err := lost.Cursor(ctx)
	if err != nil {
		t.Fatal(err)
	}
	again := journaltest.NewStory(id)
	again.Drafts[0].Body = journal.IncarnationStarted{Build: "test", Location: "s3://lake/wh", Name: "lake", Parent: &at, Reason: "recovery from metastore"}
	again.Drafts = append(again.Drafts,
		journal.Draft{Warehouse: id, ID: uuid.New(), Body: journal.HistoryImported{Steps: steps[:2]}},
		journal.Draft{Warehouse: id, ID: uuid.New(), Body: journal.HistoryImported{Steps: steps[2:]}})
	j, chain := journal.NewMemory(), journal.NewChain(id, uuid.New(), 1_000_000)
	for _, d := range again.Drafts {
		entry, next, err := chain.Next(d, journal.At(journaltest.Start))
		if err != nil {
			t.Fatal(err)
		}
		journaltest.Append(t, j, []journal.Entry{entry})
		chain = next
	}
	wantDamageFound(t, id, j.Warehouse(id),
		`DELETE FROM history WHERE step = (SELECT max(step) FROM history)`, `DELETE FROM made`, `DELETE FROM names`,
		`UPDATE objects SET step = step - 1`, `DELETE FROM objects`,
		`UPDATE history SET what = CAST(replace(CAST(what AS TEXT), 'table-created', 'table-dreamed') AS BLOB)`,
	)
}
