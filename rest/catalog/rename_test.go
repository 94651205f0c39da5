package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/catalog"
)

func TestRename(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		p.namespace(t, nil, "m")
		table := p.table(t, "a", "", "write.data.path", g.url+"/data/a")
		target := journal.Identifier{Namespace: journal.Namespace{"m"}, Name: "b"}
		must(t, p.RenameTable(ctx, called("rename"), id("a"), target))
		refused(t, p.TableExists(ctx, id("a")), catalog.NoSuchTable)
		moved, err := p.LoadTable(ctx, target)
		must(t, err)
		if diff := cmp.Diff(table, moved); diff != "" {
			t.Errorf("the table changed: %s", diff)
		}
		d := read(t, table.Metadata)
		e := last(t, g)
		want := journal.TableRenamed{Moves: [1]journal.Move{{
			Kind: journal.Table, UUID: uuid.MustParse(d.UUID), From: &journal.From{Identifier: id("a"), Pointer: pointer(table)},
			To: &journal.To{Identifier: target, Pointer: pointer(table), Location: d.Location, Places: e.Moves()[0].To.Places},
		}}}
		if diff := cmp.Diff(journal.Body(want), e.Body); diff != "" || e.Cause.RequestID != "rename" {
			t.Errorf("the event of %q: %s", e.Cause.RequestID, diff)
		}
		if n := len(e.Moves()[0].To.Places); n != 2 {
			t.Errorf("%d places of two", n)
		}
		// A commit by the old name is refused, by the new one it continues.
		_, err = p.commit(t, "a", "", set("k", "v"))
		refused(t, err, catalog.NoSuchTable, "Table does not exist: n.a")
		c := change(t, "", "", set("k", "v"))
		c.Identifier = target
		_, err = commitOver(t, p.Catalog, cause, c)
		must(t, err)
		audit(t, g)
	})
}

func TestCase98_RenameIsRefused(t *testing.T) {
	p := fresh(t)
	p.table(t, "a", "")
	p.table(t, "b", "")
	nowhere := journal.Identifier{Namespace: journal.Namespace{"non_existing"}, Name: "a"}
	for _, c := range []struct {
		from, to journal.Identifier
		code     catalog.Code
		text     string
	}{
		{id("x"), id("y"), catalog.NoSuchTable, "Table does not exist: n.x"},
		{nowhere, id("y"), catalog.NoSuchTable, "Table does not exist: non_existing.a"},
		{id("a"), nowhere, catalog.NoSuchNamespace, "Namespace does not exist: non_existing"},
		{id("a"), id("b"), catalog.AlreadyExists, "Cannot rename n.a to n.b. Table already exists"},
		{id("a"), id("a"), catalog.AlreadyExists, "Cannot rename n.a to n.a. Table already exists"},
		{id("a"), id("."), catalog.Invalid, "reserved"},
	} {
		refused(t, p.RenameTable(ctx, cause, c.from, c.to), c.code, c.text)
	}
	if events := audit(t, p.ground); len(events) != 3 {
		t.Errorf("%d events: a refusal was recorded", len(events))
	}
}
