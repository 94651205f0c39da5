package bolt_test

import (
	"os"
	"path/filepath"
	"testing"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// TestPagesBesideAppends looks at the pages of a journal that is being written: it
// never finds anything, and once nobody writes it has looked.
func TestPagesBesideAppends(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	entries := history(t, lake, 400)
	j := open(t, path)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, e := range entries {
			journaltest.Append(t, j, []journal.Entry{e})
		}
	}()
	check := func() bool {
		t.Helper()
		looked, err := j.CheckPages(t.Context(), func(f journal.Flaw) { t.Error(f) })
		if err != nil {
			t.Error(err)
		}
		return looked
	}
	for writing := true; writing; {
		select {
		case <-done:
			writing = false
		default:
			check()
		}
	}
	if !check() {
		t.Error("nobody writes, and the pages were not looked at")
	}
}

// TestPagesOfAnOpenJournal finds damage in the file below a journal that is open, and
// does not look at another file in its place.
func TestPagesOfAnOpenJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	fill(t, path, 200)
	j := open(t, path)
	t.Cleanup(func() { j.Close() })
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for page := int64(2); found == 0 && page < 40; page++ {
		if _, err := file.WriteAt([]byte{0xFF}, page*int64(os.Getpagesize())); err != nil {
			t.Fatal(err)
		}
		if looked, err := j.CheckPages(t.Context(), func(journal.Flaw) { found++ }); !looked || err != nil {
			t.Fatal(looked, err)
		}
	}
	if err := file.Close(); err != nil || found == 0 {
		t.Errorf("found %d, %v", found, err)
	}
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	fill(t, path, 2)
	if _, err := j.CheckPages(t.Context(), func(f journal.Flaw) { t.Error(f) }); err == nil {
		t.Error("another file lies there, and nothing is said")
	}
}
