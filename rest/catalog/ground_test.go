package catalog_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/dir"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/projections"
	"puddle/projections/pointers/sqlite"
)

// ground is what outlives a process: a journal, the pointer tables and the
// warehouse's files.
type ground struct {
	journal  journal.Journal
	pointers projections.Store
	files    warehouse.Store
	url      string // of the warehouse

	// reopen closes everything and opens it again; afresh, with empty tables.
	reopen func(tb rapid.TB, afresh bool)
	close  func(tb rapid.TB)
}

// kind is one choice of implementations.
type kind struct {
	name  string
	clear func(tb rapid.TB, folder string) *ground
}

var kinds = []kind{{"memory", inMemory}, {"disk", onDisk}}

// each runs a test over every kind of ground.
func each(t *testing.T, test func(t *testing.T, g *ground)) {
	t.Helper()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			g := k.clear(t, t.TempDir())
			t.Cleanup(func() { g.close(t) })
			test(t, g)
		})
	}
}

// inMemory keeps the journal and the files over a reopening.
func inMemory(tb rapid.TB, _ string) *ground {
	tb.Helper()
	g := &ground{journal: journal.NewMemory(), pointers: projections.NewMemory(), files: memory.New(), url: "s3://lake/wh"}
	g.reopen = func(_ rapid.TB, afresh bool) {
		if afresh {
			g.pointers = projections.NewMemory()
		}
	}
	g.close = func(rapid.TB) {}
	bear(tb, g)
	return g
}

// onTables keeps its pointers in SQLite and the rest in memory: what no sync
// makes slow.
func onTables(tb rapid.TB, folder string) *ground {
	tb.Helper()
	g := inMemory(tb, "")
	file := filepath.Join(folder, "puddle.db")
	must(tb, os.MkdirAll(folder, 0o700))
	open := func(tb rapid.TB) {
		tables, err := sqlite.Open(file, sqlite.Options{})
		must(tb, err)
		g.pointers = tables
	}
	open(tb)
	g.close = func(tb rapid.TB) { must(tb, g.pointers.Close()) }
	g.reopen = func(tb rapid.TB, afresh bool) {
		g.close(tb)
		if afresh {
			must(tb, os.Remove(file))
		}
		open(tb)
	}
	return g
}

func onDisk(tb rapid.TB, folder string) *ground {
	tb.Helper()
	must(tb, os.MkdirAll(folder, 0o700))
	g := &ground{url: "file://" + folder + "/wh"}
	g.open(tb, folder)
	g.close = func(tb rapid.TB) {
		must(tb, errors.Join(g.pointers.Close(), g.journal.Close(), g.files.(*dir.Store).Close()))
	}
	g.reopen = func(tb rapid.TB, afresh bool) {
		g.close(tb)
		if afresh {
			must(tb, os.Remove(filepath.Join(folder, "puddle.db")))
		}
		g.open(tb, folder)
	}
	bear(tb, g)
	return g
}

func (g *ground) open(tb rapid.TB, folder string) {
	tb.Helper()
	events, err := bolt.Open(filepath.Join(folder, "journal.db"), bolt.Options{})
	must(tb, err)
	g.journal = events
	tables, err := sqlite.Open(filepath.Join(folder, "puddle.db"), sqlite.Options{})
	must(tb, err)
	g.pointers = tables
	files, err := dir.Open(filepath.Join(folder, "wh"))
	must(tb, err)
	g.files = files
}

// folders gives a new folder for every ground of a test.
func folders(t *testing.T) func() string {
	t.Helper()
	parent, n := t.TempDir(), 0
	return func() string {
		n++
		return filepath.Join(parent, fmt.Sprint(n))
	}
}

func must(tb rapid.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
