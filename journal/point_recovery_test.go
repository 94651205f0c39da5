package journal_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// A time in the middle of a recovery, when half of the catalog was back, is the moment
// before it; from its end on it is what the recovery made. What is named by seq is that.
func TestTimesInARecovery(t *testing.T) {
	id, j := uuid.New(), journal.NewMemory()
	story := journaltest.NewStory(id)
	for _, name := range []string{"a", "b", "c"} {
		story.CreateNamespace(journal.Namespace{name}, nil)
	}
	entries := journaltest.Entries(t, story.Drafts, journaltest.Start)
	journaltest.Append(t, j, entries)
	last := entries[len(entries)-1].Event
	at := last.At
	recovery := func(parent journal.Position, million journal.Seq, complete bool) {
		t.Helper()
		bodies := []journal.Body{
			journal.IncarnationStarted{Build: "test", Location: "s3://lake/wh", Name: "lake", Parent: &parent, Reason: "recovery from journal"},
			journal.NamespaceCreated{ID: uuid.New(), Namespace: journal.Namespace{"a"}, Properties: map[string]string{}},
			journal.NamespaceCreated{ID: uuid.New(), Namespace: journal.Namespace{"b"}, Properties: map[string]string{}},
		}
		if complete {
			bodies = append(bodies, journal.RecoveryCompleted{From: "journal", Namespaces: 2},
				journal.NamespaceCreated{ID: uuid.New(), Namespace: journal.Namespace{"z"}, Properties: map[string]string{}})
		}
		chain := journal.NewChain(id, uuid.New(), million)
		for _, body := range bodies {
			at = at.Add(time.Second)
			entry, next, err := chain.Next(journal.Draft{Warehouse: id, ID: uuid.New(), Cause: story.Drafts[0].Cause, Body: body}, journal.At(at))
			if err != nil {
				t.Fatal(err)
			}
			journaltest.Append(t, j, []journal.Entry{entry})
			chain, last = next, entry.Event
		}
	}
	lineage := journal.Lineage(j, id)
	check := func(at time.Time, want journal.Seq) {
		t.Helper()
		e, err := point(t, at.Format(time.RFC3339Nano)).Event(t.Context(), lineage, at.Add(time.Hour))
		if err != nil || e.Seq != want {
			t.Errorf("at %s: %d, %v; want %d", at, e.Seq, err, want)
		}
	}
	before, began := last, last.At
	recovery(before.Position, 1_000_000, false)
	for i := range 4 {
		check(began.Add(time.Duration(i)*time.Second), before.Seq)
	}
	recovery(last.Position, 2_000_000, true) // it goes on from what was never completed
	for i := range 7 {
		check(began.Add(time.Duration(i)*time.Second), before.Seq)
	}
	check(began.Add(7*time.Second), 2_000_004)
	check(began.Add(8*time.Second), 2_000_005)
	if e, err := point(t, "seq:2000002").Event(t.Context(), lineage, at); err != nil || e.Seq != 2_000_002 {
		t.Errorf("by seq: %d, %v", e.Seq, err)
	}
}
