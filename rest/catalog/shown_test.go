package catalog_test

import (
	"bytes"
	"testing"

	"puddle/internal/warehouse/faulty"
	"puddle/rest/catalog"
)

// What is made of a version is made once while that is current, and never of
// another.
func TestLoadTableWithMakesOnce(t *testing.T) {
	p := fresh(t)
	c := p.over(t, func(faulty.Op, string) faulty.Fault { return faulty.Fault{} })
	made := 0
	load := func(name string) (catalog.Table, string) {
		t.Helper()
		table, of, err := c.LoadTableWith(ctx, id(name), func(table catalog.Table) any {
			made++
			return table.MetadataLocation + table.Digest.String()
		})
		must(t, err)
		again, err := c.LoadTable(ctx, id(name))
		must(t, err)
		if again.MetadataLocation != table.MetadataLocation || !bytes.Equal(again.Metadata, table.Metadata) {
			t.Errorf("%s: LoadTable answers %s", name, again.MetadataLocation)
		}
		return table, of.(string)
	}
	p.table(t, "t", "")
	p.table(t, "u", "")
	for version := range 3 {
		for _, name := range []string{"t", "u", "t", "u"} {
			if table, of := load(name); of != table.MetadataLocation+table.Digest.String() {
				t.Errorf("%s at %s has what was made of %s", name, table.MetadataLocation, of)
			}
		}
		if want := 2 + version; made != want {
			t.Errorf("version %d: made %d times, want %d", version, made, want)
		}
		_, err := p.commit(t, "t", "", set("k", string(rune('a'+version))))
		must(t, err)
	}
	_, _, err := c.LoadTableWith(ctx, id("none"), func(catalog.Table) any { return "" })
	refused(t, err, catalog.NoSuchTable)
}

// One document without a uuid, of two tables and at two places in turn: what is
// shown is never the other's (case 3).
func TestShownIsOfItsTable(t *testing.T) {
	p := fresh(t)
	u := p.ground.url + "/a"
	for _, at := range []string{"/metadata/v1.metadata.json", "/metadata/v2.metadata.json"} {
		p.given(t, u+at, bare(u, single))
	}
	seen := map[string]bool{}
	for _, at := range []string{"/metadata/v1.metadata.json", "/metadata/v2.metadata.json", "/metadata/v1.metadata.json"} {
		_, err := p.register("t", u+at)
		must(t, err)
		for range 2 {
			table, of, err := p.LoadTableWith(ctx, id("t"), func(table catalog.Table) any { return read(t, table.Metadata).UUID })
			must(t, err)
			if own := read(t, table.Metadata).UUID; own != of || own == "" || table.MetadataLocation != u+at {
				t.Errorf("%s of %s has what was made of %s", table.MetadataLocation, own, of)
			}
			seen[of.(string)] = true
		}
		must(t, p.DropTable(ctx, cause, id("t"), false))
	}
	if len(seen) != 3 {
		t.Errorf("uuids: %v", seen)
	}
}
