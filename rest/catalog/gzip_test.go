package catalog_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/rest/catalog"
)

const codec = "write.metadata.compression-codec"

// A table that asks for gzip gets it, from the version on that asks, until one asks
// for none; clients are answered JSON in any case.
func TestCase1_GzipOnDemand(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		p.table(t, "t", "", codec, "gzip")
		p.table(t, "u", "")
		next, err := p.append(t, "t", 7)
		must(t, err)
		asked, err := p.commit(t, "u", "", set(codec, "GZIP"))
		must(t, err)
		for name, table := range map[string]catalog.Table{"t": next, "u": asked} {
			if diff := cmp.Diff(table, p.load(t, name)); diff != "" {
				t.Errorf("committed and loaded differ: %s", diff)
			}
			file := fileAt(t, g, table.MetadataLocation)
			if !strings.HasSuffix(table.MetadataLocation, ".gz.metadata.json") || !bytes.Equal(unzipped(t, file), table.Metadata) {
				t.Errorf("%s is %q", table.MetadataLocation, file)
			}
		}
		plain, err := p.commit(t, "t", "", set(codec, "none"))
		must(t, err)
		if !bytes.Equal(fileAt(t, g, plain.MetadataLocation), plain.Metadata) || strings.Contains(plain.MetadataLocation, ".gz.") {
			t.Errorf("%s is not plain", plain.MetadataLocation)
		}
		audit(t, g)
	})
}

// So does a view, whose properties have the same names.
func TestCase1_GzipViewsOnDemand(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		made := p.view(t, "v", "", codec, "gzip")
		next, err := p.commitView(t, "v", "", replace("select 2"))
		must(t, err)
		if diff := cmp.Diff(next, p.loadView(t, "v")); diff != "" {
			t.Errorf("committed and loaded differ: %s", diff)
		}
		for _, v := range []catalog.View{made, next} {
			file := fileAt(t, g, v.MetadataLocation)
			if !strings.HasSuffix(v.MetadataLocation, ".gz.metadata.json") || !bytes.Equal(unzipped(t, file), v.Metadata) {
				t.Errorf("%s is %q", v.MetadataLocation, file)
			}
		}
		plain, err := p.commitView(t, "v", "", set(codec, "none"))
		must(t, err)
		if !bytes.Equal(fileAt(t, g, plain.MetadataLocation), plain.Metadata) || strings.Contains(plain.MetadataLocation, ".gz.") {
			t.Errorf("%s is not plain", plain.MetadataLocation)
		}
		audit(t, g)
	})
}

// A gzip file is proven as it lies and as it inflates.
func TestCase43_GzipFileIsGone(t *testing.T) {
	p := fresh(t)
	table := p.table(t, "t", "", codec, "gzip")
	for _, bad := range [][]byte{nil, table.Metadata, zipped(t, table.Metadata)[:40], zipped(t, bytes.ToUpper(table.Metadata))} {
		must(t, p.ground.files.Put(ctx, key(t, p.ground, table.MetadataLocation), bad))
		_, err := p.LoadTable(ctx, id("t"))
		refused(t, err, catalog.FileMissing, "Failed to open input stream for file: "+table.MetadataLocation)
	}
}

// Gzip is told by the file's name, in both spellings; what is not what its name
// says is refused by name. A registered file is kept byte for byte.
func TestCase1_GzipIsRegistered(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		folder := g.url + "/t"
		text := fileAt(t, g, p.written(t, folder, "v1.metadata.json", ""))
		data := zipped(t, text)
		for file, part := range map[string]string{
			"v3.gzip.metadata.json": "is gzipped, which its name does not say", "00001-u.metadata.json": "is gzipped, which its name does not say",
		} {
			_, err := p.register("x", p.given(t, folder+"/metadata/"+file, data))
			refused(t, err, catalog.Invalid, file, part)
		}
		for file, data := range map[string][]byte{"a.gz.metadata.json": text, "b.metadata.json.gz": text, "c.gz.metadata.json": data[:40], "d.gz.metadata.json": data[:2]} {
			_, err := p.register("x", p.given(t, folder+"/metadata/"+file, data))
			refused(t, err, catalog.Invalid, file)
		}
		for _, file := range []string{"00001-u.gz.metadata.json", "v3.gz.metadata.json", "v4.metadata.json.gz"} {
			at := p.given(t, folder+"/metadata/"+file, data)
			made, err := p.register("t", at)
			must(t, err)
			if made.MetadataLocation != at || !bytes.Equal(made.Metadata, text) {
				t.Errorf("%s is registered as %s", file, made.Metadata)
			}
			if diff := cmp.Diff(made, p.load(t, "t")); diff != "" {
				t.Error(diff)
			}
			next, err := p.commit(t, "t", "", set("k", file))
			must(t, err)
			if strings.Contains(next.MetadataLocation, ".gz") {
				t.Errorf("the property asks for no gzip: %s", next.MetadataLocation)
			}
			must(t, p.DropTable(ctx, cause, id("t"), false))
		}
		audit(t, g)
	})
}
