package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/projections"
	"puddle/projections/pointers/sqlite"
)

// healed is how far a repair of the pointer tables came before its process was killed.
type healed int

const (
	setAside healed = iota // the old ones are; there are none
	opened                 // new ones are there, empty
	filled                 // some events are in them
	complete               // all are, and nothing was closed
)

// killHealing does what a repair of the pointer tables does, up to a step, and leaves
// the files as a process does that is killed there.
func killHealing(t *testing.T, c config.Config, to healed) {
	t.Helper()
	path := c.Metastore.SQLitePath
	if _, err := sqlite.SetAside(path, time.Now()); err != nil {
		t.Fatal(err)
	}
	if to == setAside {
		return
	}
	db, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	j, err := bolt.Open(c.Journal.Path, bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	replayed(t, j, db, to)
	left := map[string][]byte{}
	for _, suffix := range []string{"", "-wal"} {
		if left[suffix], err = os.ReadFile(path + suffix); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	for suffix, data := range left {
		if err := os.WriteFile(path+suffix, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// replayed brings tables up to a part of their journal, or to all of it.
func replayed(t *testing.T, j journal.Journal, db *sqlite.DB, to healed) {
	t.Helper()
	ids, err := j.Warehouses(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		upTo := map[healed]journal.Seq{filled: 2, complete: 0}
		seq, some := upTo[to]
		if !some {
			continue
		}
		if err := projections.CatchUp(context.Background(), j.Warehouse(id), seq, db.Warehouse(id)); err != nil {
			t.Fatal(err)
		}
	}
}

// Law 5: wherever a repair of the pointer tables is killed, nothing is wrong with what
// it leaves, another repair has nothing to do, and a start brings all back. What was
// set aside stays.
func TestRepairOfTablesIsKilled(t *testing.T) {
	dir, kept := t.TempDir(), t.TempDir()
	leaveBehind(t, dir)
	if err := os.CopyFS(kept, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for to, name := range map[healed]string{setAside: "set aside", opened: "opened", filled: "filled", complete: "complete"} {
		t.Run(name, func(t *testing.T) {
			restore(t, dir, kept)
			c := configured(t, dir, "")
			killHealing(t, c, to)
			for _, args := range []string{"verify --level 2", "verify --level 2 --repair"} {
				if code, out := ran(t, dir, args); code != codeDone {
					t.Errorf("%q: exit code %d\n%s", args, code, out)
				}
			}
			r := started(t, c)
			r.wantNamespaces([]string{"n0", "n1", "m0"})
			r.stopped()
			if code, out := ran(t, dir, "verify --level 2"); code != codeDone {
				t.Errorf("in the end: exit code %d\n%s", code, out)
			}
			if aside, _ := filepath.Glob(filepath.Join(c.DataDir, "*.broken-*")); len(aside) == 0 {
				t.Error("what was set aside is gone")
			}
		})
	}
}
