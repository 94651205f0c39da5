package catalog_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/dir"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/rest/catalog"
)

var inAnyOrder = cmpopts.SortSlices(func(a, b journal.Place) bool { return a.Path < b.Path })

// allowing is the catalog of a process with more roots, spelled as configured.
func (p *process) allowing(t *testing.T, more map[string]warehouse.Store) *process {
	t.Helper()
	options := p.Options
	options.Roots = options.Roots[:len(options.Roots):len(options.Roots)]
	for url, store := range more {
		location, err := warehouse.ParseLocation(url)
		must(t, err)
		options.Roots = append(options.Roots, warehouse.Root{URL: url, Location: location, Store: store})
	}
	return &process{Catalog: catalog.New(options), ground: p.ground, recorder: p.recorder}
}

func TestCase139_AllowedRoots(t *testing.T) {
	p := fresh(t)
	second := memory.New()
	c := p.allowing(t, map[string]warehouse.Store{"s3://second/root": second, "s3a://third/": second})
	for name, location := range map[string]string{"a": "s3a://second/root/a", "b": "s3://third/b", "c": p.ground.url + "/c"} {
		c.table(t, name, location)
		c.load(t, name)
	}
	for location, rule := range map[string]string{
		"s3://second/root": "root", "s3://second/root/": "root", "s3n://third": "root", "s3://second": "root", "s3://second/root/_puddle/x": "reserved",
		"s3://second/other": "outside", "s3://second/root2/x": "outside", "s3://fourth/x": "outside",
	} {
		_, err := c.CreateTable(ctx, cause, newTable("x", location))
		refused(t, err, catalog.Invalid, trimmed(location), rule)
	}
	_, err := c.CreateTable(ctx, cause, newTable("x", "s3n://second/root/a/below"))
	refused(t, err, catalog.AlreadyExists, "overlaps")
	// Without the root the table is there and cannot be read.
	_, err = p.LoadTable(ctx, id("a"))
	refused(t, err, catalog.FileMissing, "s3a://second/root/a/", "outside")
	must(t, p.DropTable(ctx, cause, id("a"), false))
}

// Metadata files in another root than the table: every route works, and the root
// may be written with or without a slash at its end.
func TestCase140_MetadataInAnotherRoot(t *testing.T) {
	for _, slash := range []string{"", "/"} {
		g := onDisk(t, t.TempDir())
		t.Cleanup(func() { g.close(t) })
		folder := filepath.Join(t.TempDir(), "meta")
		files, err := dir.Open(folder)
		must(t, err)
		t.Cleanup(func() { must(t, files.Close()) })
		root := "file://" + folder
		p := running(t, g).allowing(t, map[string]warehouse.Store{root + slash: files})
		p.namespace(t, nil, "n")
		made := p.table(t, "t", "", "write.metadata.path", root+"/t")
		next, err := p.append(t, "t", 1)
		must(t, err)
		for _, table := range []catalog.Table{made, next} {
			if !strings.HasPrefix(table.MetadataLocation, root+"/t/0000") {
				t.Errorf("the file is at %s", table.MetadataLocation)
			}
		}
		for _, elsewhere := range []string{root, root + "/", root + "/t/x", root + "/_puddle/t"} {
			_, err := p.CreateTable(ctx, cause, newTable("x", "", "write.metadata.path", elsewhere))
			if !hasCode(err, catalog.Invalid, catalog.AlreadyExists) {
				t.Errorf("%s: %v", elsewhere, err)
			}
		}
		must(t, p.DropTable(ctx, cause, id("t"), false))
		back, err := p.register("u", next.MetadataLocation)
		must(t, err)
		if diff := cmp.Diff(next, back); diff != "" {
			t.Error(diff)
		}
		d := read(t, back.Metadata)
		places, err := p.Reader.Places(ctx, uuid.MustParse(d.UUID))
		must(t, err)
		want := []journal.Place{{Path: folder + "/t/", Role: "write.metadata.path"}, {Path: path(t, d.Location), Role: "location"}}
		if diff := cmp.Diff(want, places, inAnyOrder); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(p.load(t, "u"), back); diff != "" {
			t.Error(diff)
		}
	}
}

// The roots of two catalogs are apart, whatever is asked of either.
func TestCase139_RootsOfAnotherWarehouse(t *testing.T) {
	p := fresh(t)
	one, two := memory.New(), memory.New()
	mine := p.allowing(t, map[string]warehouse.Store{"s3://shared/one": one})
	theirs := p.allowing(t, map[string]warehouse.Store{"s3://shared/two": two})
	mine.table(t, "mine", "s3://shared/one/t")
	table := theirs.table(t, "theirs", "s3://shared/two/t")
	must(t, p.DropTable(ctx, cause, id("theirs"), false))
	for _, role := range roles {
		_, err := mine.CreateTable(ctx, cause, withLocation(newTable("x", ""), role, "s3://shared/two/x"))
		refused(t, err, catalog.Invalid, role, "outside")
	}
	_, err := mine.register("x", table.MetadataLocation)
	refused(t, err, catalog.Invalid, `metadata-location "`+table.MetadataLocation+`" is refused`, "outside")
}
