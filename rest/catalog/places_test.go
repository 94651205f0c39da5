package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/rest/catalog"
)

// A table that got the name of a renamed one never lands in its folder.
func TestCase46_NameIsUsedAgain(t *testing.T) {
	p := fresh(t)
	p.table(t, "a", "")
	must(t, p.RenameTable(ctx, cause, id("a"), id("a_old")))
	p.table(t, "a_tmp", "")
	must(t, p.RenameTable(ctx, cause, id("a_tmp"), id("a")))
	a, old := path(t, read(t, p.load(t, "a").Metadata).Location), path(t, read(t, p.load(t, "a_old").Metadata).Location)
	if warehouse.Overlaps(a, old) {
		t.Errorf("%s and %s", a, old)
	}
	must(t, p.DropTable(ctx, cause, id("a_old"), false))
	p.load(t, "a")
}

// A create never adopts what lies at its location, and never shares it.
func TestCase49_LocationThatHeldATable(t *testing.T) {
	p := fresh(t)
	at := p.ground.url + "/place"
	was := read(t, p.table(t, "t", at).Metadata)
	_, err := p.append(t, "t", 1)
	must(t, err)
	_, err = p.CreateTable(ctx, cause, newTable("u", at))
	refused(t, err, catalog.AlreadyExists, at, was.UUID)
	must(t, p.DropTable(ctx, cause, id("t"), false))
	is := read(t, p.table(t, "u", at).Metadata)
	if is.UUID == was.UUID || len(is.Snapshots) != 0 || len(is.MetadataLog) != 0 || is.Location != at {
		t.Errorf("adopted: %+v", is)
	}
	audit(t, p.ground)
}

// Whole segments count, in either order.
func TestCase130_SiblingsAndParents(t *testing.T) {
	p := fresh(t)
	for i, place := range []string{"a", "ab", "a-1", "a%20b", "aa/b", "aa/c", "*", "aabb", "aabbcc", "A"} {
		p.table(t, "t"+string(rune('0'+i)), p.ground.url+"/"+place)
	}
	for _, place := range []string{"a", "a/", "a/b", "a/b/c", "aa", "aa/b/metadata", "*/x"} {
		_, err := p.CreateTable(ctx, cause, newTable("u", p.ground.url+"/"+place))
		refused(t, err, catalog.AlreadyExists, "overlaps", "n.u")
		_, err = p.CreateTable(ctx, cause, newTable("u", "", "write.data.path", p.ground.url+"/"+place))
		refused(t, err, catalog.AlreadyExists, "overlaps", "n.u")
	}
	if left := strays(t, p.ground, audit(t, p.ground)); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

// Other spellings of a location are the same place (cases 25 and 27).
func TestSpellingsOfAPlace(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		p.table(t, "t", g.url+"/a")
		again := strings.NewReplacer("s3://", "s3a://", "file://", "").Replace(g.url)
		_, err := p.CreateTable(ctx, cause, newTable("u", again+"/a/"))
		refused(t, err, catalog.AlreadyExists, "overlaps")
		table := p.table(t, "u", again+"/b/")
		if got := read(t, table.Metadata).Location; got != again+"/b" {
			t.Errorf("the spelling %s became %s", again+"/b", got)
		}
		p.load(t, "u")
	})
}

// A commit may move places, to free ones.
func TestCommitMovesPlaces(t *testing.T) {
	p := fresh(t)
	p.table(t, "t", p.ground.url+"/t")
	p.table(t, "u", p.ground.url+"/u")
	_, err := p.commit(t, "t", "", set("write.data.path", p.ground.url+"/u/data"))
	refused(t, err, catalog.AlreadyExists, "overlaps", "/u/data")
	moved, err := p.commit(t, "t", "", set("write.metadata.path", p.ground.url+"/m", "write.data.path", p.ground.url+"/t/data"))
	must(t, err)
	if !strings.HasPrefix(moved.MetadataLocation, p.ground.url+"/m/00001-") {
		t.Errorf("the file is at %s", moved.MetadataLocation)
	}
	_, err = p.CreateTable(ctx, cause, newTable("v", p.ground.url+"/m/v"))
	refused(t, err, catalog.AlreadyExists, "overlaps")
	_, err = p.commit(t, "t", "", `{"action":"remove-properties","removals":["write.metadata.path"]}`)
	must(t, err)
	p.table(t, "v", p.ground.url+"/m/v")
	if left := strays(t, p.ground, audit(t, p.ground)); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A namespace's location is where its tables are made.
func TestNamespaceLocation(t *testing.T) {
	p := fresh(t)
	_, err := p.UpdateNamespace(ctx, cause, journal.Namespace{"n"}, nil, map[string]string{"location": p.ground.url + "/sales/"})
	must(t, err)
	d := read(t, p.table(t, "t", "").Metadata)
	if want := p.ground.url + "/sales/" + d.UUID; d.Location != want {
		t.Errorf("made at %s, want %s", d.Location, want)
	}
	p.table(t, "whole", p.ground.url+"/whole")
	_, err = p.UpdateNamespace(ctx, cause, journal.Namespace{"n"}, nil, map[string]string{"location": p.ground.url + "/whole"})
	must(t, err)
	_, err = p.CreateTable(ctx, cause, newTable("u", ""))
	refused(t, err, catalog.AlreadyExists, "overlaps")
}

// Names never get into default locations, and wild cards in one stand for
// themselves.
func TestCase143_NamesInLocations(t *testing.T) {
	p := fresh(t)
	for _, name := range []string{"*", "?", "${aws:username}", "../../x", "a/b", "%2e%2e", " ", "_puddle"} {
		d := read(t, p.table(t, name, "").Metadata)
		if d.Location != p.ground.url+"/"+d.UUID {
			t.Errorf("%q is at %s", name, d.Location)
		}
	}
	// Nobody's are nearer to a wild card than to any other name.
	for i, place := range []string{"in/*", "in/a*", "in/${aws:username}", "in/[a-z]", "in/any", "in/ab", "in/{a,b}"} {
		p.table(t, "t"+string(rune('0'+i)), p.ground.url+"/"+place)
	}
	_, err := p.CreateTable(ctx, cause, newTable("x", p.ground.url+"/in/?"))
	refused(t, err, catalog.AlreadyExists, "/in") // what is left of it holds all of them
}

// Settings of storage in a table are data: they are kept, and nobody obeys.
func TestCase145_StorageSettingsInProperties(t *testing.T) {
	p := fresh(t)
	settings := []string{
		"s3.endpoint", "http://203.0.113.1", "s3.access-key-id", "AKIA", "io-impl", "x.FileIO", "client.region", "mars", "gcs.service.host", "x",
		"warehouse", "s3://foreign", "http.proxy", "http://203.0.113.1",
	}
	var calls []string
	c := p.over(t, func(op faulty.Op, k string) faulty.Fault {
		calls = append(calls, string(op)+" "+k)
		return faulty.Fault{}
	})
	made, err := c.CreateTable(ctx, cause, newTable("t", p.ground.url+"/t", settings...))
	must(t, err)
	next, err := commitOver(t, c, cause, change(t, "t", "", set(settings[:4]...)+","+set("s3.endpoint", "http://203.0.113.2")))
	must(t, err)
	if got := read(t, next.Metadata).Properties; got["s3.endpoint"] != "http://203.0.113.2" || got["io-impl"] != "x.FileIO" {
		t.Errorf("properties: %q", got)
	}
	first, second := key(t, p.ground, made.MetadataLocation), key(t, p.ground, next.MetadataLocation)
	if diff := cmp.Diff([]string{
		"check-folder t", "create " + first, "stat " + first, "create " + second,
	}, calls); diff != "" {
		t.Error(diff)
	}
}
