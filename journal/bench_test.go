package journal_test

import (
	"fmt"
	"testing"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// commitEntries are commits of one table each, the most frequent event there is.
func commitEntries(b *testing.B, n int) ([]journal.Draft, []journal.Entry) {
	b.Helper()
	s := journaltest.NewStory(goldLake)
	ns := journal.Namespace{"sales"}
	s.CreateNamespace(ns, nil)
	for i := range n - 2 {
		s.Commit(journal.Identifier{Namespace: ns, Name: fmt.Sprint("t", i%100)})
	}
	return s.Drafts, journaltest.Entries(b, s.Drafts, journaltest.Start)
}

func BenchmarkEncode(b *testing.B) {
	drafts, entries := commitEntries(b, 1000)
	chain := journal.ChainAt(entries[500].Event)
	now := journal.At(entries[500].Event.At)
	b.SetBytes(int64(len(entries[501].Record)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := chain.Next(drafts[501], now); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	_, entries := commitEntries(b, 1000)
	e := entries[501]
	b.SetBytes(int64(len(e.Record)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := journal.Decode(e.Event.Prev, e.Record); err != nil {
			b.Fatal(err)
		}
	}
}
