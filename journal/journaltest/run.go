package journaltest

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"puddle/journal"
)

// Open makes an empty journal for one test, which closes it. reopen closes it
// and opens the same once more; it is nil where nothing outlives the process.
type Open func(t *testing.T) (j journal.Journal, reopen func() journal.Journal)

// Run is what every journal must do.
func Run(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, Open){
		"Birth":                   testBirth,
		"BirthIsRefused":          testBirthIsRefused,
		"SecondIncarnation":       testSecondIncarnation,
		"Lineage":                 testLineage,
		"FalseLineage":            testFalseLineage,
		"AppendScan":              testAppendScan,
		"ScanBack":                testScanBack,
		"Entries":                 testEntries,
		"LargeEntries":            testLargeEntries,
		"Find":                    testFind,
		"SeveralWarehouses":       testSeveralWarehouses,
		"AllOrNone":               testAllOrNone,
		"NotNext":                 testNotNext,
		"IDs":                     testIDs,
		"BadEntries":              testBadEntries,
		"Limits":                  testLimits,
		"Canceled":                testCanceled,
		"Closed":                  testClosed,
		"CallersKeepTheirBytes":   testCallersKeepTheirBytes,
		"Documents":               testDocuments,
		"LargeDocuments":          testLargeDocuments,
		"RegisteredFiles":         testRegisteredFiles,
		"DocumentNotKept":         testDocumentNotKept,
		"Patches":                 testPatches,
		"PatchesNeedTheirBase":    testPatchesNeedTheirBase,
		"FalsePatches":            testFalsePatches,
		"Requests":                testRequests,
		"RequestsExpire":          testRequestsExpire,
		"RequestsArePruned":       testRequestsArePruned,
		"RequestsOfIncarnations":  testRequestsOfIncarnations,
		"BadRequests":             testBadRequests,
		"KeyTaken":                testKeyTaken,
		"Remember":                testRemember,
		"RememberIsAllOrNone":     testRememberIsAllOrNone,
		"RememberLimits":          testRememberLimits,
		"SlowConsumer":            testSlowConsumer,
		"ConcurrentReaders":       testConcurrentReaders,
		"ScanEnds":                testScanEnds,
		"StoriesComeBack":         testStoriesComeBack,
		"ReopenedIsTheSame":       testReopenedIsTheSame,
		"ReopenedGoesOnAppending": testReopenedGoesOnAppending,
	} {
		t.Run(name, func(t *testing.T) { test(t, open) })
	}
}

// The warehouses of the suite.
var (
	lake = uuid.MustParse("01234567-89ab-7def-8123-456789abcdef")
	pond = uuid.MustParse("00000000-1111-7222-8333-444444444444")
)

// sales is a short story with every kind of event.
func sales(warehouse uuid.UUID) *Story {
	s := NewStory(warehouse)
	ns, sub := journal.Namespace{"sales"}, journal.Namespace{"sales", "eu.west"}
	orders := journal.Identifier{Namespace: ns, Name: "orders"}
	items := journal.Identifier{Namespace: sub, Name: "items <&>"}
	s.CreateNamespace(ns, map[string]string{"owner": "ana", "Zone": "1"})
	s.CreateNamespace(sub, nil)
	s.UpdateNamespace(ns, []string{"Zone"}, map[string]string{"owner": "bo"})
	s.CreateTable(orders)
	s.Commit(orders)
	s.Commit(orders, items)
	s.Rename(items, journal.Identifier{Namespace: ns, Name: "items"})
	s.Drop(orders, true)
	s.DropNamespace(sub)
	top := journal.Identifier{Namespace: ns, Name: "top"}
	s.CreateView(top)
	s.ReplaceView(top)
	best := journal.Identifier{Namespace: ns, Name: "best"}
	s.Rename(top, best)
	view := s.Objects[best.Key()].UUID
	s.Drop(best, false)
	s.Return(view, top)
	s.Register(journal.Table, orders)
	s.Unregister(orders)
	return s
}

// filled is a journal that holds the story of a warehouse.
func filled(t *testing.T, open Open, warehouse uuid.UUID) (journal.Journal, []journal.Entry, func() journal.Journal) {
	t.Helper()
	j, reopen := open(t)
	entries := Entries(t, sales(warehouse).Drafts, Start)
	Append(t, j, entries)
	return j, entries, reopen
}

// equal are the options under which an event that was read equals the one that
// was appended: stored bytes do not tell nil from empty.
var equal = cmpopts.EquateEmpty()

func events(entries []journal.Entry) []journal.Event {
	var events []journal.Event
	for _, e := range entries {
		events = append(events, e.Event)
	}
	return events
}

// wantEvents checks that a warehouse holds exactly the entries.
func wantEvents(t *testing.T, j journal.Journal, warehouse uuid.UUID, entries []journal.Entry) {
	t.Helper()
	if diff := cmp.Diff(events(entries), Events(t, j.Warehouse(warehouse), 0), equal); diff != "" {
		t.Fatalf("scanned events (-appended +read):\n%s", diff)
	}
	head, err := j.Warehouse(warehouse).Head(context.Background())
	if err != nil || head != entries[len(entries)-1].Event.Position {
		t.Fatalf("head = %v, %v, want %v", head, err, entries[len(entries)-1].Event.Position)
	}
}

// wantError checks what an append answers.
func wantError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// following forms the entries that drafts become after an entry.
func following(t *testing.T, last journal.Entry, drafts ...journal.Draft) []journal.Entry {
	t.Helper()
	chain := journal.ChainAt(last.Event)
	var entries []journal.Entry
	for _, d := range drafts {
		entry, next, err := chain.Next(d, journal.At(last.Event.At))
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry)
		chain = next
	}
	return entries
}
