package catalog_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

func mustBeFolder(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	if !info.IsDir() {
		t.Errorf("%s is no folder", path)
	}
}

func TestLoadIsRefused(t *testing.T) {
	p := fresh(t)
	_, err := p.LoadTable(ctx, id("t"))
	refused(t, err, catalog.NoSuchTable, "Table does not exist: n.t")
	nowhere := journal.Identifier{Namespace: journal.Namespace{"non-existing"}, Name: "tbl"}
	_, err = p.LoadTable(ctx, nowhere)
	refused(t, err, catalog.NoSuchTable, "Table does not exist: non-existing.tbl")
	refused(t, p.TableExists(ctx, nowhere), catalog.NoSuchTable)
}

// Every way in which the current file is not what was committed.
func TestCase43_FileIsGone(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		for name, spoil := range map[string]func(k string, file []byte){
			"gone":    func(k string, _ []byte) { must(t, g.files.Delete(ctx, k)) },
			"changed": func(k string, file []byte) { must(t, g.files.Put(ctx, k, bytes.ToUpper(file))) },
			"shorter": func(k string, file []byte) { must(t, g.files.Put(ctx, k, file[1:])) },
			"longer":  func(k string, file []byte) { must(t, g.files.Put(ctx, k, append(file, ' '))) },
		} {
			table := p.table(t, name, "")
			spoil(key(t, g, table.MetadataLocation), bytes.Clone(table.Metadata))
			_, err := p.LoadTable(ctx, id(name))
			refused(t, err, catalog.FileMissing, "Failed to open input stream for file: "+table.MetadataLocation)
			_, err = p.commit(t, name, "", set("k", "v"))
			refused(t, err, catalog.FileMissing, "Failed to open input stream for file: "+table.MetadataLocation)
			must(t, p.TableExists(ctx, id(name)))
			_, err = p.CreateTable(ctx, cause, newTable(name, ""))
			refused(t, err, catalog.AlreadyExists, "Table already exists: n."+name)
			must(t, p.RenameTable(ctx, cause, id(name), id(name+"2")))
			must(t, p.DropTable(ctx, cause, id(name+"2"), false))
		}
		auditTables(t, g)
	})
}

// Case 127: who reads while a newer version is committed and the older one's file
// removed gets the newer one; who reads what is dropped meanwhile is told so.
func TestCase127_FileIsRemovedMeanwhile(t *testing.T) {
	p := fresh(t)
	table := func(c *catalog.Catalog, name string) ([]byte, error) {
		table, err := c.LoadTable(ctx, id(name))
		return table.Metadata, err
	}
	view := func(c *catalog.Catalog, name string) ([]byte, error) {
		view, err := c.LoadView(ctx, id(name))
		return view.Metadata, err
	}
	for _, test := range []struct {
		name, at  string
		load      func(*catalog.Catalog, string) ([]byte, error)
		meanwhile func(name string) error
		code      catalog.Code
	}{
		{"replaced", p.table(t, "replaced", "").MetadataLocation, table,
			func(name string) error { _, err := p.commit(t, name, "", set("k", "v")); return err }, ""},
		{"dropped", p.table(t, "dropped", "").MetadataLocation, table,
			func(name string) error { return p.DropTable(ctx, cause, id(name), false) }, catalog.NoSuchTable},
		{"replaced-view", p.view(t, "replaced-view", "").MetadataLocation, view,
			func(name string) error { _, err := p.commitView(t, name, "", set("k", "v")); return err }, ""},
		{"dropped-view", p.view(t, "dropped-view", "").MetadataLocation, view,
			func(name string) error { return p.DropView(ctx, cause, id(name)) }, catalog.NoSuchView},
	} {
		var once sync.Once
		now, err := test.load(p.over(t, func(faulty.Op, string) faulty.Fault {
			once.Do(func() {
				must(t, errors.Join(test.meanwhile(test.name), p.ground.files.Delete(ctx, key(t, p.ground, test.at))))
			})
			return faulty.Fault{}
		}), test.name)
		if test.code != "" {
			refused(t, err, test.code)
		} else if must(t, err); read(t, now).Properties["k"] != "v" {
			t.Errorf("%s: %s", test.name, now)
		}
	}
}

// A link in the file's place is never followed, wherever it leads.
func TestFileIsALink(t *testing.T) {
	g := onDisk(t, t.TempDir())
	t.Cleanup(func() { g.close(t) })
	p := running(t, g)
	p.namespace(t, nil, "n")
	table := p.table(t, "t", "")
	file := strings.TrimPrefix(table.MetadataLocation, "file://")
	must(t, os.Rename(file, file+".moved"))
	must(t, os.Symlink(file+".moved", file))
	_, err := p.LoadTable(ctx, id("t"))
	refused(t, err, catalog.FileMissing, table.MetadataLocation, "symbolic link")
}

// One broken table of many hides no other (law 11).
func TestCase45_OneBrokenTable(t *testing.T) {
	p := fresh(t)
	for _, name := range []string{"a", "b", "c"} {
		p.table(t, name, "")
	}
	must(t, p.ground.files.Delete(ctx, key(t, p.ground, p.load(t, "b").MetadataLocation)))
	names, err := p.Tables(ctx, journal.Namespace{"n"}, projections.Page{})
	must(t, err)
	if strings.Join(names, " ") != "a b c" {
		t.Errorf("tables: %q", names)
	}
	p.load(t, "a")
	_, err = p.append(t, "c", 1)
	must(t, err)
}

// A list reads no file at all.
func TestListingReadsNoStorage(t *testing.T) {
	p := fresh(t)
	p.table(t, "t", "")
	c := p.over(t, func(op faulty.Op, k string) faulty.Fault {
		t.Errorf("%s %s", op, k)
		return faulty.Before(errInjected)
	})
	_, err := c.Tables(ctx, journal.Namespace{"n"}, projections.Page{})
	must(t, errors.Join(err, c.TableExists(ctx, id("t"))))
	must(t, c.RenameTable(ctx, cause, id("t"), id("u")))
	must(t, c.DropTable(ctx, cause, id("u"), false))
}

func TestTablesByPage(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		p.namespace(t, nil, "n", "sub")
		for _, name := range []string{"c", "a", "b", "A", "é"} {
			p.table(t, name, "")
		}
		var all []string
		for after := ""; ; after = all[len(all)-1] {
			page, err := p.Tables(ctx, journal.Namespace{"n"}, projections.Page{After: after, Limit: 2})
			must(t, err)
			if all = append(all, page...); len(page) < 2 {
				break
			}
		}
		if strings.Join(all, " ") != "A a b c é" {
			t.Errorf("pages: %q", all)
		}
	})
}

// Storage that cannot be read now is no missing file.
func TestStorageCannotBeRead(t *testing.T) {
	p := fresh(t)
	p.table(t, "t", "")
	c := p.over(t, func(op faulty.Op, _ string) faulty.Fault {
		if op == faulty.Get {
			return faulty.Before(errInjected)
		}
		return faulty.Fault{}
	})
	_, err := c.LoadTable(ctx, id("t"))
	refused(t, err, catalog.Unavailable)
	_, err = commitOver(t, c, cause, change(t, "t", "", set("k", "v")))
	refused(t, err, catalog.Unavailable)
	if !errors.Is(err, errInjected) {
		t.Errorf("the reason is lost: %v", err)
	}
}

// A document that is known is not trusted further than its file: one that was
// changed, or replaced by one of the same size, is missing; put back, it is there.
func TestKnownDocumentIsLookedFor(t *testing.T) {
	p := fresh(t)
	table := p.table(t, "t", "")
	at := key(t, p.ground, table.MetadataLocation)
	for range 2 { // read, then known
		if _, err := p.LoadTable(ctx, id("t")); err != nil {
			t.Fatal(err)
		}
	}
	other := bytes.Repeat([]byte("x"), len(table.Metadata))
	must(t, p.ground.files.Put(ctx, at, other))
	_, err := p.LoadTable(ctx, id("t"))
	refused(t, err, catalog.FileMissing, "not those that were committed")
	must(t, p.ground.files.Put(ctx, at, table.Metadata))
	if _, err := p.LoadTable(ctx, id("t")); err != nil {
		t.Error(err)
	}
	must(t, p.ground.files.Delete(ctx, at))
	_, err = p.LoadTable(ctx, id("t"))
	refused(t, err, catalog.FileMissing, "Failed to open input stream for file")
}
