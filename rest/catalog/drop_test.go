package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/catalog"
)

// Dropping reads no file and leaves all of them; the name is free again, and so
// is the place.
func TestDrop(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		table := p.table(t, "t", g.url+"/place")
		had := files(t, g)
		must(t, p.DropTable(ctx, called("drop"), id("t"), false))
		if diff := cmp.Diff(had, files(t, g)); diff != "" {
			t.Errorf("files: %s", diff)
		}
		e := last(t, g)
		want := journal.TableDropped{Moves: [1]journal.Move{{
			Kind: journal.Table, UUID: uuid.MustParse(read(t, table.Metadata).UUID),
			From: &journal.From{Identifier: id("t"), Pointer: pointer(table)},
		}}}
		if diff := cmp.Diff(journal.Body(want), e.Body); diff != "" || e.Cause.RequestID != "drop" {
			t.Errorf("the event of %q: %s", e.Cause.RequestID, diff)
		}
		_, err := p.LoadTable(ctx, id("t"))
		refused(t, err, catalog.NoSuchTable)
		refused(t, p.DropTable(ctx, cause, id("t"), false), catalog.NoSuchTable, "Table does not exist: n.t")
		p.table(t, "t", g.url+"/place")
		must(t, p.DropTable(ctx, cause, id("t"), true))
		if dropped, ok := last(t, g).Body.(journal.TableDropped); !ok || !dropped.Purge {
			t.Errorf("the event does not know that a purge was asked for: %+v", last(t, g).Body)
		}
		p.table(t, "u", g.url+"/place")
		audit(t, g)
	})
}

// Drops with and without a purge in each mode; a refused one changes nothing.
func TestPurgeModes(t *testing.T) {
	for _, c := range []struct {
		mode             catalog.PurgeMode
		purge            bool
		recorded, denied bool
	}{
		{"", true, true, false},
		{catalog.PurgeServer, true, true, false},
		{catalog.PurgeServer, false, false, false},
		{catalog.PurgeIgnore, true, false, false},
		{catalog.PurgeIgnore, false, false, false},
		{catalog.PurgeRefuse, true, false, true},
		{catalog.PurgeRefuse, false, false, false},
	} {
		p := fresh(t)
		p.table(t, "t", "")
		had := files(t, p.ground)
		options := p.Options
		options.PurgeMode = c.mode
		err := catalog.New(options).DropTable(ctx, cause, id("t"), c.purge)
		if c.denied {
			refused(t, err, catalog.Unsupported, "Cannot purge table n.t")
			must(t, p.TableExists(ctx, id("t")))
			refused(t, catalog.New(options).DropTable(ctx, cause, id("no"), true), catalog.NoSuchTable)
		} else {
			must(t, err)
			if dropped, ok := last(t, p.ground).Body.(journal.TableDropped); !ok || dropped.Purge != c.recorded {
				t.Errorf("%+v: recorded %+v", c, last(t, p.ground).Body)
			}
		}
		if diff := cmp.Diff(had, files(t, p.ground)); diff != "" {
			t.Errorf("%+v: files: %s", c, diff)
		}
		audit(t, p.ground)
	}
}
