package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"puddle/journal"
	"puddle/journal/bolt"
)

// kept is what is kept of a catalog beside its warehouse, to be lost and put back while
// nobody has it open.
type kept interface {
	configuration() string // of the metastore
	keep(name string)      // what is there now
	put(name string)       // back what was kept, in the place of what is there
	loseAll()
	loseJournal()
	loseTables()
	tear() // the event at seq 8
	recovered(args ...string)
	journal() journal.Journal // to be read and closed
}

// catalogAt is the folder in which a catalog is configured.
type catalogAt struct {
	*testing.T
	dir string
}

func (c catalogAt) at(name string) string { return filepath.Join(c.dir, name) }

func (c catalogAt) remove(name string) {
	c.Helper()
	remove(c.T, c.dir, name)
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// copied has one folder be what another is, its owner's only.
func (c catalogAt) copied(to, from string) {
	c.Helper()
	c.remove(to)
	if _, err := os.Stat(c.at(from)); os.IsNotExist(err) {
		return
	}
	if err := os.CopyFS(c.at(to), os.DirFS(c.at(from))); err != nil {
		c.Fatal(err)
	}
	if err := os.Chmod(c.at(to), 0o700); err != nil {
		c.Fatal(err)
	}
}

func (c catalogAt) recovered(args ...string) {
	c.Helper()
	report(c.T, c.at("puddle.yaml"), codeDone, append([]string{"recover"}, args...)...)
}

// inFolder is kept in files.
type inFolder struct{ catalogAt }

func (k inFolder) configuration() string { return "" }

func (k inFolder) keep(name string) { k.copied(name, "d") }

func (k inFolder) put(name string) { k.copied("d", name) }

func (k inFolder) loseAll() { k.remove("d") }

func (k inFolder) loseJournal() { k.remove("d/journal.db") }

func (k inFolder) loseTables() { k.remove("d/puddle.db") }

func (k inFolder) tear() {
	path := k.at("d/journal.db")
	data, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(data, []byte(`"seq":8,`)) {
		k.Fatalf("it is not to be found: %v", err)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(data, []byte(`"seq":8,`), []byte(`"seq":9,`)), 0o600); err != nil {
		k.Fatal(err)
	}
}

func (k inFolder) journal() journal.Journal {
	j, err := bolt.Open(k.at("d/journal.db"), bolt.Options{ReadOnly: true, Timeout: lockTime})
	if err != nil {
		k.Fatal(err)
	}
	return j
}
