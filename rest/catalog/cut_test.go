package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/catalog"
)

// Locations with "?" and "#" stand for themselves, and what is left of them to
// clients that end a path there is a place too (ADR 8).
func TestCutLocations(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		at := g.url + "/ns/a#b?c"
		made := p.table(t, "t", at, "write.data.path", g.url+"/data?x/y")
		if !strings.HasPrefix(made.MetadataLocation, at+"/metadata/00000-") || !strings.HasPrefix(files(t, g)[0], "ns/a#b?c/metadata/00000-") {
			t.Errorf("made at %s: %q", made.MetadataLocation, files(t, g))
		}
		want := []journal.Place{
			{Path: path(t, at), Role: "location"}, {Path: path(t, g.url+"/ns/a"), Role: "location"},
			{Path: path(t, g.url+"/data?x/y"), Role: "write.data.path"}, {Path: path(t, g.url+"/data"), Role: "write.data.path"},
		}
		places, err := p.Reader.Places(ctx, uuid.MustParse(read(t, made.Metadata).UUID))
		must(t, err)
		if diff := cmp.Diff(want, places, inAnyOrder); diff != "" {
			t.Error(diff)
		}
		next, err := p.append(t, "t", 1)
		must(t, err)
		if diff := cmp.Diff(next, p.load(t, "t")); diff != "" {
			t.Error(diff)
		}
		for place, text := range map[string]string{"/ns/a": `location "` + g.url + `/ns/a" of n.u`, "/ns/a#x": "/ns/a\",", "/ns/a?": "", "/ns/a/b": "", "/data/x": "", "/data#": ""} {
			_, err := p.CreateTable(ctx, cause, newTable("u", g.url+place))
			refused(t, err, catalog.AlreadyExists, text, "overlaps")
		}
		p.table(t, "beside", g.url+"/ns/ab#c")
		view := p.view(t, "v", g.url+"/ns/v?#")
		must(t, p.DropView(ctx, cause, id("v")))
		_, err = p.RegisterView(ctx, cause, id("w"), view.MetadataLocation)
		must(t, err)

		must(t, p.DropTable(ctx, cause, id("t"), false))
		p.table(t, "u", g.url+"/ns/a")
		_, err = p.register("t", next.MetadataLocation)
		refused(t, err, catalog.AlreadyExists, `location "`+at+`", which clients`, "/ns/a\", of n.t is refused")
		must(t, p.DropTable(ctx, cause, id("u"), false))
		back, err := p.register("t", next.MetadataLocation)
		must(t, err)
		if diff := cmp.Diff(next, back); diff != "" {
			t.Error(diff)
		}
		audit(t, g)
	})
}

// PyIceberg writes every file of such a table over one, where it takes the location
// for another, and then commits. That commit is refused: what it names is not
// there. So are those of others until the file is gone, which is told.
func TestCutLocationIsAFile(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		was := p.table(t, "t", g.url+"/ns/a#b")
		must(t, g.files.Put(ctx, "ns/a", []byte("a data file, a manifest and their list")))
		_, err := p.append(t, "t", 1)
		refused(t, err, catalog.Invalid, `location "`+g.url+`/ns/a#b" is refused`, `take it for "`, `/ns/a": warehouse: already exists`)
		if diff := cmp.Diff(was, p.load(t, "t")); diff != "" {
			t.Error(diff)
		}
		must(t, g.files.Delete(ctx, "ns/a"))
		_, err = p.append(t, "t", 1)
		must(t, err)
		audit(t, g)
	})
}

// So do the names of metadata files.
func TestCutNamesOfMetadataFiles(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		text := fileAt(t, g, p.written(t, g.url+"/t", "v1.metadata.json", ""))
		at := p.given(t, g.url+"/t/metadata/7-a#b?c.metadata.json", text)
		made, err := p.register("t", at)
		must(t, err)
		if made.MetadataLocation != at {
			t.Errorf("registered as %s", made.MetadataLocation)
		}
		next, err := p.commit(t, "t", "", set("k", "v"))
		must(t, err)
		if log := read(t, next.Metadata).MetadataLog; !strings.Contains(next.MetadataLocation, "/00008-") || log[len(log)-1].File != at {
			t.Errorf("goes on at %s, after %v", next.MetadataLocation, log)
		}
		for file, rule := range map[string]string{"/#/v1.metadata.json": "root", "/_puddle?/v1.metadata.json": "reserved"} {
			_, err := p.register("x", g.url+file)
			refused(t, err, catalog.Invalid, file, rule)
		}
		for _, file := range []string{"v1.metadata.json?version=2", "v1.metadata.json#x", "v1#.metadata.json"} {
			_, err = p.register("x", g.url+"/t/metadata/"+file)
			refused(t, err, catalog.FileMissing, file)
		}

		// What only those clients take for the table's folder is not its home.
		lost := strings.Replace(string(text), quoted(g.url+"/t"), quoted(g.url+"/u#x"), 1)
		_, err = p.register("x", p.given(t, g.url+"/u/metadata/v1.metadata.json", []byte(lost)))
		refused(t, err, catalog.Invalid, "neither below")
		audit(t, g)
	})
}
