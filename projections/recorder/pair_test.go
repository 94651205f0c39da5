package recorder_test

import (
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/projections"
	"puddle/projections/pointers/sqlite"
)

// pair is a journal and a store that work together: each in a file of that
// name or, without one, in memory.
type pair struct{ journal, store string }

func (p pair) open(tb rapid.TB) (journal.Journal, projections.Store) {
	return p.openJournal(tb), p.openStore(tb)
}

func (p pair) openJournal(tb rapid.TB) journal.Journal {
	tb.Helper()
	if p.journal == "" {
		return journal.NewMemory()
	}
	j, err := bolt.Open(p.journal, bolt.Options{})
	if err != nil {
		tb.Fatalf("open: %v", err)
	}
	return j
}

func (p pair) openStore(tb rapid.TB) projections.Store {
	tb.Helper()
	if p.store == "" {
		return projections.NewMemory()
	}
	s, err := sqlite.Open(p.store, sqlite.Options{})
	if err != nil {
		tb.Fatalf("open: %v", err)
	}
	return s
}

// reopen closes what is in files and opens it again.
func (p pair) reopen(tb rapid.TB, j journal.Journal, s projections.Store) (journal.Journal, projections.Store) {
	tb.Helper()
	if p.store != "" {
		closeIt(tb, s)
		s = p.openStore(tb)
	}
	if p.journal != "" {
		closeIt(tb, j)
		j = p.openJournal(tb)
	}
	return j, s
}

func closeIt(tb rapid.TB, it interface{ Close() error }) {
	tb.Helper()
	if err := it.Close(); err != nil {
		tb.Errorf("close: %v", err)
	}
}

// check checks a property with many values in memory, and with a few, always the
// same, on every kind of pair.
func check[V any](t *testing.T, values *rapid.Generator[V], property func(tb rapid.TB, p pair, v V)) {
	t.Helper()
	t.Run("drawn", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) { property(rt, pair{}, values.Draw(rt, "value")) })
	})
	checkFew(t, values, property)
}

func checkFew[V any](t *testing.T, values *rapid.Generator[V], property func(tb rapid.TB, p pair, v V)) {
	t.Helper()
	for name, p := range map[string]pair{
		"memory+memory": {}, "memory+sqlite": {store: "puddle.db"},
		"bolt+memory": {journal: "journal.db"}, "bolt+sqlite": {"journal.db", "puddle.db"},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range 4 {
				property(t, p.in(t.TempDir()), values.Example(seed))
			}
		})
	}
}

// in puts the files into a folder.
func (p pair) in(dir string) pair {
	for _, name := range []*string{&p.journal, &p.store} {
		if *name != "" {
			*name = filepath.Join(dir, *name)
		}
	}
	return p
}
