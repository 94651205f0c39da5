package journal_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
)

var (
	goldBay            = uuid.MustParse("91c7e2f4-5b38-4d0a-a6e1-3f8c2b7d9054")
	goldBayIncarnation = uuid.MustParse("c85f1a26-e94d-47b3-8062-5d1e9f3a7b48")
)

// goldBayHistory is events of what came back, was moved by hand and was purged.
func goldBayHistory(t *testing.T) []gold {
	t.Helper()
	tale := goldTale{t: t, id: "019ca9a4-0c00-7000-a000-", chain: journal.NewChain(goldBay, goldBayIncarnation, 0)}
	seconds := 0
	add := func(name string, cause journal.Cause, body journal.Body) uuid.UUID {
		tale.add(name, goldAt(seconds), cause, body)
		seconds++
		return tale.all[len(tale.all)-1].draft.ID
	}
	operator := journal.Cause{Actor: journal.CLIActor("operator"), Origin: journal.OriginCLI}
	purger := journal.Cause{Actor: journal.SystemActor("purge"), Origin: journal.OriginREST}
	orders := func(from *journal.From, to *journal.To) [1]journal.Move {
		return [1]journal.Move{{Kind: journal.Table, UUID: goldOrders, From: from, To: to}}
	}
	top := func(from *journal.From, to *journal.To) [1]journal.Move {
		return [1]journal.Move{{Kind: journal.View, UUID: goldTop, From: from, To: to}}
	}
	items := journal.Move{Kind: journal.Table, UUID: goldItems, To: goldTo("items", 0)}
	snapshot := int64(4598286611352242712)
	undropped := orders(nil, goldTo("orders", 0))
	undropped[0].SnapshotID = &snapshot

	add("incarnation-started-bay", operator, journal.IncarnationStarted{Build: "v0.3.0", Location: "s3://lake/wh", Name: "bay", Reason: "birth"})
	add("namespace-created-bay", operator, journal.NamespaceCreated{ID: goldSales, Namespace: journal.Namespace{"sales"}})
	add("tables-committed-bay", operator, journal.TablesCommitted{Moves: []journal.Move{orders(nil, goldTo("orders", 0))[0], items}})
	add("table-dropped-bay", operator, journal.TableDropped{Moves: orders(goldFrom("orders", 0), nil), Purge: true})
	add("table-undropped", operator, journal.TableUndropped{Moves: undropped})
	add("table-repointed", operator, journal.TableRepointed{
		Moves: orders(goldFrom("orders", 0), goldTo("orders", 1)), Reason: "bad load <2026> & \u00e9.e\u0301\u2028\"\\",
	})
	add("view-created-bay", operator, journal.ViewCreated{Moves: top(nil, goldTo("top", 0))})
	add("view-dropped-bay", operator, journal.ViewDropped{Moves: top(goldFrom("top", 0), nil)})
	add("view-undropped", operator, journal.ViewUndropped{Moves: top(nil, goldTo("top", 0))})
	add("view-repointed", operator, journal.ViewRepointed{Moves: top(goldFrom("top", 0), goldTo("top", 1)), Reason: "r"})
	drop := add("table-dropped-bay-orders", operator, journal.TableDropped{Moves: orders(goldFrom("orders", 1), nil), Purge: true})
	add("table-purged", purger, journal.TablePurged{
		Drop: drop, Table: goldOrders, Removed: 1234, Kept: 2, Failed: 1, Bytes: 9223372036854775807,
		Report: []journal.PurgeFinding{
			{Location: "s3://lake/wh/sales/items/data/\u00e9\u2028\n<1>.parquet", Reason: "it is not below a place of the table"},
			{Location: "", Reason: "a manifest names no file"},
		},
	})
	end := journal.Move{Kind: journal.Table, UUID: goldItems, From: goldFrom("items", 0)}
	drop = add("table-dropped-bay-items", operator, journal.TableDropped{Moves: [1]journal.Move{end}, Purge: true})
	add("table-purged-clean", purger, journal.TablePurged{Drop: drop, Table: goldItems})
	return tale.all
}

// The largest report there can be, in the characters that take most room, fits
// into a record.
func TestLargestPurgeReportFits(t *testing.T) {
	f := journal.NewPurgeFinding(strings.Repeat("\x01", journal.MaxFindingLocationBytes+1), strings.Repeat("\x02", journal.MaxFindingReasonBytes+1))
	body := journal.TablePurged{Drop: goldItems, Table: goldOrders}
	for range journal.MaxPurgeReport {
		body.Report = append(body.Report, f)
	}
	d := journal.Draft{Warehouse: goldBay, ID: goldItems, Body: body}
	if _, _, err := journal.NewChain(goldBay, goldBayIncarnation, 0).Next(d, goldAt(0)); err != nil {
		t.Fatal(err)
	}
	body.Report = append(body.Report, f)
	d.Body = body
	if _, _, err := journal.NewChain(goldBay, goldBayIncarnation, 0).Next(d, goldAt(0)); err == nil {
		t.Error("a report over the limit was taken")
	}
}
