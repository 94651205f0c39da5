package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/rest/catalog"
)

var toNewest = catalog.Repoint{Newest: true}

// The newest file is found by descent, step by step where logs are short (cases 37
// and 38), past files of other tables and files that are none.
func TestCase38_NewestFile(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		p.table(t, "t", g.url+"/t")
		now, err := p.append(t, "t", 7)
		must(t, err)
		unchanged, err := p.repoint(toNewest)
		if must(t, err); unchanged.Changed || unchanged.To != pointer(now) {
			t.Errorf("the newest is there already: %+v", unchanged)
		}
		second := p.later(t, now, "00009-x.metadata.json", "second", now.MetadataLocation)
		third := p.later(t, now, "00003-x.metadata.json", "third", second)
		fourth := p.later(t, now, "v1.gz.metadata.json", "fourth", strings.Replace(third, "s3://", "s3a://", 1))
		must(t, g.files.Put(ctx, key(t, g, fourth), zipped(t, fileAt(t, g, fourth))))
		// None of these is of its line.
		p.later(t, now, "00010-x.metadata.json", "orphan", g.url+"/t/metadata/unknown.metadata.json")
		p.given(t, g.url+"/t/metadata/00011-x.metadata.json", []byte(strings.ReplaceAll(string(fileAt(t, g, second)), read(t, now.Metadata).UUID, "11111111-1111-4111-8111-111111111111")))
		torn := p.given(t, g.url+"/t/metadata/00012-x.metadata.json", now.Metadata[:50])
		p.given(t, g.url+"/t/metadata/below/00013-x.metadata.json", fileAt(t, g, second))
		p.given(t, g.url+"/t/metadata/snap-1.avro", []byte("Obj"))

		must(t, g.files.Delete(ctx, key(t, g, now.MetadataLocation)))
		done, err := p.repoint(toNewest)
		must(t, err)
		if done.To.MetadataLocation != fourth || len(done.NotUsed) != 1 || done.NotUsed[0].MetadataLocation != torn || done.NotUsed[0].Reason == "" {
			t.Errorf("%+v", done)
		}
		if read(t, p.load(t, "t").Metadata).Properties["from"] != "fourth" {
			t.Error("another is loaded")
		}
		audit(t, g, now.MetadataLocation)
	})
}

// A fork anywhere is told with every tip, and one of them can be named.
func TestCase40_NewestOfAFork(t *testing.T) {
	p := fresh(t)
	now := p.table(t, "t", "")
	b := p.later(t, now, "00001-b.metadata.json", "b", now.MetadataLocation)
	c := p.later(t, now, "00002-c.metadata.json", "c", b)
	d := p.later(t, now, "00002-d.metadata.json", "d", b)
	_, err := p.repoint(toNewest)
	refused(t, err, catalog.Unsafe, "2 metadata files of n.t descend from "+now.MetadataLocation, "name one of "+c+", "+d)
	_, err = p.repoint(catalog.Repoint{To: d})
	must(t, err)
	same, err := p.repoint(toNewest)
	if must(t, err); same.Changed {
		t.Errorf("%+v", same)
	}
}

// The present file is gone and nothing descends from it: nothing is guessed.
func TestNewestOfNone(t *testing.T) {
	p := fresh(t)
	old := p.table(t, "t", "")
	now, err := p.commit(t, "t", "", set("k", "v"))
	must(t, err)
	must(t, p.ground.files.Delete(ctx, key(t, p.ground, now.MetadataLocation)))
	_, err = p.repoint(toNewest)
	refused(t, err, catalog.FileMissing, "Failed to open input stream for file: "+now.MetadataLocation, "no file of its folders descends from it")
	_, err = p.repoint(catalog.Repoint{To: old.MetadataLocation, AllowRewind: true})
	must(t, err)
	if diff := cmp.Diff(old, p.load(t, "t")); diff != "" {
		t.Error(diff)
	}
}

// Every folder where a table keeps metadata files is searched: that of now, that
// below its location, and that of its property.
func TestNewestInEveryFolder(t *testing.T) {
	p := fresh(t)
	u := p.ground.url
	p.table(t, "t", u+"/t")
	moved, err := p.commit(t, "t", "", set("write.metadata.path", u+"/m"))
	must(t, err)
	if at := moved.MetadataLocation; !strings.HasPrefix(at, u+"/m/") {
		t.Fatal(at)
	}
	below := p.later(t, moved, "00005-x.metadata.json", "below", moved.MetadataLocation)
	done, err := p.repoint(toNewest)
	if must(t, err); done.To.MetadataLocation != below {
		t.Errorf("%+v", done)
	}
	beside := p.given(t, u+"/m/00006-x.metadata.json", []byte(strings.Replace(string(fileAt(t, p.ground, below)), moved.MetadataLocation, below, 1)))
	done, err = p.repoint(toNewest)
	if must(t, err); done.To.MetadataLocation != beside || done.Rewind {
		t.Errorf("%+v", done)
	}
	audit(t, p.ground)
}
