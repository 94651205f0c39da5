package bolt

import (
	"path/filepath"
	"testing"
	"time"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// A table that was brought back to an earlier version has the document of that one,
// although the repoint kept no copy of its own: it may have been over the limit in one
// piece.
func TestRetentionAfterARewind(t *testing.T) {
	s := journaltest.NewStory(lake)
	ns := journal.Namespace{"sales"}
	s.CreateNamespace(ns, nil)
	id := journal.Identifier{Namespace: ns, Name: "t"}
	for range 4 { // of some drafts no document is kept
		s.Commit(id)
	}
	s.Repoint(id)
	var to journal.Pointer
	for _, d := range s.Drafts {
		if b, ok := d.Body.(journal.TablesCommitted); ok && len(d.Documents) > 0 {
			to = b.Moves[0].To.Pointer
			break
		}
	}
	last := &s.Drafts[len(s.Drafts)-1]
	last.Documents = nil
	last.Body.(journal.TableRepointed).Moves[0].To.Pointer = to
	s.CreateNamespace(journal.Namespace{"later"}, nil)
	entries := journaltest.Entries(t, s.Drafts, journaltest.Start)
	path := filepath.Join(t.TempDir(), "journal.db")
	hasten(t, path, entries)
	before := documented(t, path)
	if _, err := Compact(t.Context(), path, CompactOptions{Retain: time.Millisecond, Now: journaltest.Start.AddDate(1, 0, 0)}); err != nil {
		t.Fatal(err)
	}
	after, kept := documented(t, path), 0
	for at, text := range before {
		if journal.Sum([]byte(text)) == to.DocumentSHA256 {
			kept++
			if after[at] != text {
				t.Errorf("the document of event %d is %.20q", at.Seq, after[at])
			}
		} else if after[at] != journaltest.Erased {
			t.Errorf("the document of event %d is retained", at.Seq)
		}
	}
	if kept != 1 || len(before) < 2 {
		t.Errorf("of %d documents %d are the table's", len(before), kept)
	}
}
