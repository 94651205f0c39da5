package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/catalog"
)

// A table that is unregistered is handed over with its last version; nobody commits
// to it here any more, and it can come back.
func TestCase48_Unregister(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		p.table(t, "t", "", codec, "gzip")
		now, err := p.append(t, "t", 7)
		must(t, err)
		had := files(t, g)
		gone, err := p.UnregisterTable(ctx, called("over"), id("t"))
		must(t, err)
		if diff := cmp.Diff(now, gone); diff != "" {
			t.Errorf("handed over: %s", diff)
		}
		e := last(t, g)
		m := e.Body.(journal.TableUnregistered).Moves[0]
		if m.UUID != uuid.MustParse(read(t, now.Metadata).UUID) || m.To != nil || m.From.Pointer.MetadataLocation != now.MetadataLocation || e.Cause.RequestID != "over" {
			t.Errorf("the event of %q: %+v", e.Cause.RequestID, m)
		}
		_, err = p.commit(t, "t", "", set("k", "v"))
		refused(t, err, catalog.NoSuchTable)
		_, err = p.UnregisterTable(ctx, cause, id("t"))
		refused(t, err, catalog.NoSuchTable, "Table does not exist: n.t")
		if diff := cmp.Diff(had, files(t, g)); diff != "" {
			t.Errorf("files: %s", diff)
		}
		back, err := p.register("t", gone.MetadataLocation)
		must(t, err)
		if diff := cmp.Diff(gone, back); diff != "" {
			t.Errorf("back: %s", diff)
		}
		audit(t, g)
	})
}

// There is no last version of a broken table to hand over: it stays, and can be
// dropped.
func TestUnregisterABrokenTable(t *testing.T) {
	p := fresh(t)
	table := p.table(t, "t", "")
	must(t, p.ground.files.Delete(ctx, key(t, p.ground, table.MetadataLocation)))
	_, err := p.UnregisterTable(ctx, cause, id("t"))
	refused(t, err, catalog.FileMissing, "Failed to open input stream for file: "+table.MetadataLocation)
	must(t, p.TableExists(ctx, id("t")))
	must(t, p.DropTable(ctx, cause, id("t"), false))
	auditTables(t, p.ground)
}
