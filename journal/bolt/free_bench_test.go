package bolt

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// BenchmarkCheckFree is what the list of free pages adds to a start.
func BenchmarkCheckFree(b *testing.B) {
	const events, group = 40_000, 40
	s := journaltest.NewStory(uuid.MustParse("01234567-89ab-7def-8123-456789abcdef"))
	ns := journal.Namespace{"sales"}
	s.CreateNamespace(ns, nil)
	for i := 0; len(s.Drafts) < events; i++ {
		s.Commit(journal.Identifier{Namespace: ns, Name: fmt.Sprint("t", i%7)})
	}
	path := filepath.Join(b.TempDir(), "journal.db")
	j, err := Open(path, Options{})
	if err != nil {
		b.Fatal(err)
	}
	for entries := journaltest.Entries(b, s.Drafts[:events], journaltest.Start); len(entries) > 0; entries = entries[group:] {
		journaltest.Append(b, j, entries[:group])
	}
	if err := j.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("free", func(b *testing.B) {
		for b.Loop() {
			if err := checkFree(path); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("all pages", func(b *testing.B) {
		for b.Loop() {
			if err := CheckPages(b.Context(), path, func(f journal.Flaw) { b.Error(f) }); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			j, err := Open(path, Options{})
			if err != nil {
				b.Fatal(err)
			}
			j.Close()
		}
	})
}
