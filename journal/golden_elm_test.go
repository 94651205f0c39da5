package journal_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
)

var (
	goldElm            = uuid.MustParse("8c2f6b90-3d17-4e5a-b864-1f7a09c3d2e5")
	goldElmIncarnation = uuid.MustParse("b5d08e41-6c92-4a37-8f1e-90d4c7a2563b")
)

// goldElmHistory is a catalog whose history was taken from pointer tables.
func goldElmHistory(t *testing.T) []gold {
	t.Helper()
	tale := goldTale{t: t, id: "019ca9a4-0c00-7000-8800-", chain: journal.NewChain(goldElm, goldElmIncarnation, 1_000_000)}
	operator := journal.Cause{Actor: journal.CLIActor("operator"), Origin: journal.OriginRecover}
	imports := journal.Cause{Actor: journal.CLIActor("operator"), Origin: journal.OriginImport}
	parent := journal.Position{Incarnation: goldIncarnation, Seq: 7, Hash: journal.Sum([]byte("the cursor of the pointer tables"))}
	tale.add("incarnation-started-elm", goldAt(0), operator, journal.IncarnationStarted{
		Build: "v0.8.0", Location: "s3://lake/wh", Name: "elm", Parent: &parent, Reason: "recovery from metastore",
	})
	tale.add("history-imported", goldAt(1), imports, journal.HistoryImported{Steps: goldSteps()})
	return tale.all
}

// goldSteps are of a table that was made, committed to beside a view, and dropped.
func goldSteps() []journal.ImportedStep {
	bare := func(n int) *journal.To {
		to := goldTo("orders", n)
		to.Places = nil
		return to
	}
	snapshot := int64(4598286611352242712)
	event := func(n byte) uuid.UUID {
		id := uuid.MustParse("019ca9a4-0c00-7000-8000-000000000000")
		id[15] = n
		return id
	}
	view := goldTo("top <2026> & \u00e9.e\u0301", 0)
	view.Places = nil
	return []journal.ImportedStep{
		{Seq: 4, Event: event(4), At: 1772366402000, Kind: journal.KindTableCreated, Actor: "token:ana", RequestID: "req-2",
			Move: journal.Move{Kind: journal.Table, UUID: goldOrders, To: bare(0)}},
		{Seq: 5, Event: event(5), At: 1772366403000, Kind: journal.KindTablesCommitted, Actor: "oidc:https://id.example#42",
			Move: journal.Move{Kind: journal.Table, UUID: goldOrders, From: goldFrom("orders", 0), To: bare(1), SnapshotID: &snapshot}},
		{Seq: 6, Event: event(6), At: 1772366403000, Kind: journal.KindViewRegistered, Actor: "anonymous",
			Move: journal.Move{Kind: journal.View, UUID: goldTop, To: view}},
		{Seq: 7, Event: event(7), At: 1772366404000, Kind: journal.KindTableDropped, Actor: "token:ana", RequestID: "req-2",
			Move: journal.Move{Kind: journal.Table, UUID: goldOrders, From: goldFrom("orders", 1)}},
	}
}

// TestHistoryImportedIsChecked: steps of no event, of nothing, out of their order or
// with what history does not keep are no record.
func TestHistoryImportedIsChecked(t *testing.T) {
	chain := journal.NewChain(goldElm, goldElmIncarnation, 0)
	for name, wrong := range map[string]func([]journal.ImportedStep) []journal.ImportedStep{
		"none":      func([]journal.ImportedStep) []journal.ImportedStep { return nil },
		"order":     func(s []journal.ImportedStep) []journal.ImportedStep { s[0], s[1] = s[1], s[0]; return s },
		"seq":       func(s []journal.ImportedStep) []journal.ImportedStep { s[0].Seq = 0; return s },
		"event":     func(s []journal.ImportedStep) []journal.ImportedStep { s[1].Event = uuid.Nil; return s },
		"kind":      func(s []journal.ImportedStep) []journal.ImportedStep { s[1].Kind = journal.KindTablePurged; return s },
		"of a view": func(s []journal.ImportedStep) []journal.ImportedStep { s[1].Kind = journal.KindViewReplaced; return s },
		"time":      func(s []journal.ImportedStep) []journal.ImportedStep { s[1].At = 1 << 60; return s },
		"uuid":      func(s []journal.ImportedStep) []journal.ImportedStep { s[1].Move.UUID = uuid.Nil; return s },
		"ends":      func(s []journal.ImportedStep) []journal.ImportedStep { s[3].Move.From = nil; return s },
		"updates":   func(s []journal.ImportedStep) []journal.ImportedStep { s[1].Move.Updates = []string{"x"}; return s },
		"places":    func(s []journal.ImportedStep) []journal.ImportedStep { s[1].Move.To = goldTo("orders", 1); return s },
		"name":      func(s []journal.ImportedStep) []journal.ImportedStep { s[3].Move.From.Identifier.Name = "."; return s },
	} {
		body := journal.HistoryImported{Steps: wrong(goldSteps())}
		if _, _, err := chain.Next(journal.Draft{Warehouse: goldElm, ID: goldItems, Body: body}, goldAt(0)); !errors.Is(err, journal.ErrRecord) {
			t.Errorf("%s: %v", name, err)
		}
	}
	many := journal.HistoryImported{}
	for range journal.MaxMoves + 1 {
		many.Steps = append(many.Steps, goldSteps()[0])
	}
	if _, _, err := chain.Next(journal.Draft{Warehouse: goldElm, ID: goldItems, Body: many}, goldAt(0)); !errors.Is(err, journal.ErrTooLarge) {
		t.Errorf("too many steps: %v", err)
	}
}
