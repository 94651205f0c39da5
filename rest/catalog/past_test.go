package catalog_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// asOf is the catalog as of a seq; of is the process whose memory it shares.
func (p *process) asOf(t *testing.T, of *catalog.Catalog, seq journal.Seq) *catalog.Catalog {
	t.Helper()
	lineage := journal.Lineage(p.ground.journal, lake)
	then, err := projections.NewPast(lake, lineage, p.recorder.Reader(lake)).At(ctx, seq)
	must(t, err)
	return of.AsOf(then, lineage)
}

// seq is that of the head.
func (p *process) seq(t *testing.T) journal.Seq {
	t.Helper()
	head, err := p.ground.journal.Warehouse(lake).Head(ctx)
	must(t, err)
	return head.Seq
}

// What was loaded is loaded for ever as of then, whatever became of the table and its
// files: from memory, from the file, and from the journal.
func TestPastIsLoaded(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		was := map[journal.Seq]catalog.Table{}
		note := func(table catalog.Table) { was[p.seq(t)] = table }
		note(p.table(t, "t", "", "write.metadata.compression-codec", "gzip"))
		for _, v := range []string{"v", "w"} {
			table, err := p.commit(t, "t", "", set("k", strings.Repeat("v", 5000)+v))
			must(t, err)
			note(table)
		}
		must(t, p.RenameTable(ctx, cause, id("t"), id("u")))
		must(t, p.RenameTable(ctx, cause, id("u"), id("t")))
		note(p.load(t, "t"))
		view := p.view(t, "w", "")
		viewed := p.seq(t)
		must(t, p.DropTable(ctx, cause, id("t"), false))
		must(t, p.DropView(ctx, cause, id("w")))
		check := func(how string, of *catalog.Catalog) {
			for seq, want := range was {
				got, err := p.asOf(t, of, seq).LoadTable(ctx, id("t"))
				if err != nil || got.MetadataLocation != want.MetadataLocation || !bytes.Equal(got.Metadata, want.Metadata) || got.Digest != want.Digest {
					t.Errorf("%s, as of %d: %v, %s instead of %s", how, seq, err, got.MetadataLocation, want.MetadataLocation)
				}
			}
			got, err := p.asOf(t, of, viewed).LoadView(ctx, id("w"))
			if err != nil || got.MetadataLocation != view.MetadataLocation || !bytes.Equal(got.Metadata, view.Metadata) {
				t.Errorf("%s: view: %v, %s", how, err, got.MetadataLocation)
			}
		}
		check("from memory", p.Catalog)
		check("from files", p.another(t, g.files))
		for _, k := range files(t, g) {
			if strings.Contains(k, "/00000-") {
				must(t, g.files.Put(ctx, k, []byte("{}")))
				continue
			}
			must(t, g.files.Delete(ctx, k))
		}
		check("from the journal", p.another(t, g.files))
		unreachable := p.over(t, func(faulty.Op, string) faulty.Fault { return faulty.Before(errors.New("the store is away")) })
		check("while the store does not answer", unreachable)
	})
}

// A file that is gone and was not kept is told of, with both reasons.
func TestPastIsNotKept(t *testing.T) {
	p := fresh(t)
	small := p.limited(t, 10)
	made, err := small.CreateTable(ctx, cause, newTable("t", ""))
	must(t, err)
	born := p.seq(t)
	must(t, p.DropTable(ctx, cause, id("t"), false))
	_, err = p.asOf(t, p.another(t, p.ground.files), born).LoadTable(ctx, id("t"))
	must(t, err)
	must(t, p.ground.files.Delete(ctx, key(t, p.ground, made.MetadataLocation)))
	_, err = p.asOf(t, p.another(t, p.ground.files), born).LoadTable(ctx, id("t"))
	refused(t, err, catalog.FileMissing, "Failed to open input stream for file: "+made.MetadataLocation+", and the journal does not have it: document was not kept")
}

// limited keeps only small documents in the journal.
func (p *process) limited(t *testing.T, maxDocument int) *catalog.Catalog {
	t.Helper()
	location, err := warehouse.ParseLocation(p.ground.url)
	must(t, err)
	return catalog.New(catalog.Options{
		ID: lake, Roots: warehouse.Roots{{URL: p.ground.url, Location: location, Store: p.ground.files}},
		Reader: p.recorder.Reader(lake), Recorder: p.recorder, Journal: p.ground.journal.Warehouse(lake),
		Now: tick(), MaxDocument: maxDocument, DropKeep: time.Hour,
	})
}

func TestPastIsReadOnly(t *testing.T) {
	p := fresh(t)
	p.table(t, "t", "")
	before := files(t, p.ground)
	then := p.asOf(t, p.Catalog, p.seq(t))
	_, err := then.CreateNamespace(ctx, cause, journal.Namespace{"m"}, nil)
	refused(t, err, catalog.ReadOnly, "The past cannot be changed")
	refused(t, then.DropTable(ctx, cause, id("t"), false), catalog.ReadOnly, "The past cannot be changed")
	_, err = then.CreateTable(ctx, cause, newTable("u", ""))
	refused(t, err, catalog.ReadOnly, "The past cannot be changed")
	if after := files(t, p.ground); len(after) != len(before) {
		t.Errorf("files were left: %q", after)
	}
}
