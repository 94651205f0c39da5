package catalog_test

import (
	"strings"
	"testing"
	"time"

	"puddle/internal/warehouse/faulty"
	"puddle/rest/catalog"
	"puddle/rest/catalog/purge/mark"
)

// A purge that began under a shorter grace, or by a clock that showed more, has
// removed files: the table does not come back, whatever the grace says now.
func TestCase50_NothingComesBackFromABegunPurge(t *testing.T) {
	p := fresh(t)
	table := p.dropped(t, "t", "", true)
	purge, _, err := p.Reader.Purge(ctx, uuidOf(t, table))
	must(t, err)
	begun := mark.Mark{Table: purge.Table, Drop: purge.Drop, BegunAt: time.UnixMilli(epoch).UTC()}
	must(t, mark.Write(ctx, p.ground.files, begun))
	options := p.Options
	options.PurgeGrace = 1000 * time.Hour
	longer := catalog.New(options)
	events := len(audit(t, p.ground))
	check := func(code catalog.Code, says ...string) {
		t.Helper()
		for _, dry := range []bool{true, false} {
			_, err := longer.Undrop(ctx, cause, catalog.Undrop{Identifier: id("t"), DryRun: dry})
			refused(t, err, code, says...)
		}
		_, err := longer.RegisterTable(ctx, cause, id("t"), table.MetadataLocation, false)
		refused(t, err, code, says...)
		if n := len(audit(t, p.ground)); n != events {
			t.Errorf("%d events, there were %d", n, events)
		}
	}
	check(catalog.Unsafe, "The purge of table n.t", "has begun at 2026-01-01T00:00:00Z: files of it are gone")
	must(t, p.ground.files.Put(ctx, mark.Key(purge.Drop), nil))
	check(catalog.Unsafe, "The purge of table n.t", "has begun: files of it are gone")
	must(t, p.ground.files.Delete(ctx, key(t, p.ground, table.MetadataLocation))) // the last that goes
	_, err = longer.Undrop(ctx, cause, catalog.Undrop{Identifier: id("t")})
	refused(t, err, catalog.Unsafe, "has begun")
}

// Whoever cannot be asked whether a purge has begun is not taken for a no; a table
// whose drop asked for none needs nobody.
func TestWhetherAPurgeHasBegunCannotBeAsked(t *testing.T) {
	p := fresh(t)
	table := p.dropped(t, "t", "", true)
	p.dropped(t, "kept", "", false)
	down := true
	c := p.over(t, func(_ faulty.Op, key string) faulty.Fault {
		if down && strings.HasPrefix(key, mark.Folder) {
			return faulty.Before(errInjected)
		}
		return faulty.Fault{}
	})
	_, err := c.Undrop(ctx, cause, catalog.Undrop{Identifier: id("t")})
	refused(t, err, catalog.Unavailable, "whether the purge of table n.t", "has begun cannot be read")
	_, err = c.RegisterTable(ctx, cause, id("t"), table.MetadataLocation, false)
	refused(t, err, catalog.Unavailable, "has begun cannot be read")
	_, err = c.Undrop(ctx, cause, catalog.Undrop{Identifier: id("kept")})
	must(t, err)
	down = false
	_, err = c.Undrop(ctx, cause, catalog.Undrop{Identifier: id("t")})
	must(t, err)
	audit(t, p.ground)
}
