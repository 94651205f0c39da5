package journal_test

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// fast are the kinds that decodeCanonical reads.
var fast = []journal.Kind{
	journal.KindTableCreated, journal.KindTablesCommitted, journal.KindTableRenamed, journal.KindTableDropped,
	journal.KindViewCreated, journal.KindViewReplaced,
}

// Both ways of decoding give the same event.
func TestDecodeCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, entry := range journaltest.Entries(t, journaltest.Draw(t, goldLake), journaltest.Start) {
			e, ok := journal.DecodeCanonical(entry.Event.Prev, entry.Record)
			plain := !bytes.ContainsRune(entry.Record, '\\')
			if want := slices.Contains(fast, entry.Event.Kind()) && plain; ok != want {
				t.Fatalf("%v, want %v for %s", ok, want, entry.Record)
			}
			if ok {
				same(t, e, entry)
			}
		}
	})
}

// What one byte makes of a canonical record is either not taken or is read as the
// slow way reads it, which compares it with its encoding.
func TestDecodeCanonicalIsStrict(t *testing.T) {
	story := journaltest.NewStory(goldLake)
	ns := journal.Namespace{"såles"}
	id := func(name string) journal.Identifier { return journal.Identifier{Namespace: ns, Name: name} }
	story.CreateNamespace(ns, nil)
	story.CreateTable(id("t"))
	story.Commit(id("t"), id("u"))
	story.Rename(id("t"), id("v"))
	story.Drop(id("v"), true)
	for _, entry := range journaltest.Entries(t, story.Drafts, journaltest.Start)[2:] {
		record, kind := entry.Record, entry.Event.Kind()
		taken := 0
		look := func(record []byte) {
			if e, ok := journal.DecodeCanonical(journal.Digest{1}, record); ok {
				taken++
				same(t, e, journal.Entry{Event: journal.Event{Prev: journal.Digest{1}}, Record: record})
			}
		}
		for i := range record {
			for _, b := range []byte("09aA\"\\-,}\x1f\x7f\xff ") {
				look(slices.Concat(record[:i], []byte{b}, record[i+1:]))
				look(slices.Insert(slices.Clone(record), i, b))
			}
			look(record[:i])
			look(slices.Delete(slices.Clone(record), i, i+1))
		}
		if taken < 100 {
			t.Errorf("%s: only %d records were taken", kind, taken)
		}
	}
}

func same(t rapid.TB, e journal.Event, entry journal.Entry) {
	t.Helper()
	want, err := journal.DecodeAny(entry.Event.Prev, entry.Record)
	if err != nil {
		t.Fatalf("%v: %s", err, entry.Record)
	}
	if !reflect.DeepEqual(want, e) {
		t.Fatalf("%s\n%s", cmp.Diff(want, e), entry.Record)
	}
}
