package catalog_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"puddle/journal"
	"puddle/rest/catalog"
)

// Whoever gives an object new places waits while files below them are deleted, on
// every route; whoever gives none pays nothing and waits for nobody (law 13).
func TestBirthsWaitForWhoClears(t *testing.T) {
	const at = "s3://lake/wh/place"
	warmUp(t)
	for what, test := range map[string]struct {
		prepare func(t *testing.T, p *process) (do func() error)
		waits   bool
	}{
		"create": {func(_ *testing.T, p *process) func() error {
			return func() error { _, err := p.CreateTable(ctx, cause, newTable("new", at)); return err }
		}, true},
		"create view": {func(_ *testing.T, p *process) func() error {
			return func() error { _, err := p.CreateView(ctx, cause, newView("new", at+"/below")); return err }
		}, true},
		"create by commit": {func(t *testing.T, p *process) func() error {
			staged, err := p.StageTable(ctx, newTable("new", at))
			must(t, err)
			return func() error { _, err := p.commit(t, "new", assertCreate, births(t, staged)); return err }
		}, true},
		"commit": {func(t *testing.T, p *process) func() error {
			p.table(t, "t", "")
			return func() error { _, err := p.commit(t, "t", "", set("write.data.path", at)); return err }
		}, true},
		"commit to a view": {func(t *testing.T, p *process) func() error {
			p.view(t, "v", "")
			return func() error { _, err := p.commitView(t, "v", "", set("write.metadata.path", at)); return err }
		}, true},
		"register": {func(t *testing.T, p *process) func() error {
			file := p.written(t, at, "v1.metadata.json", "")
			return func() error { _, err := p.register("new", file); return err }
		}, true},
		"register view": {func(t *testing.T, p *process) func() error {
			file := p.view(t, "v", at).MetadataLocation
			must(t, p.DropView(ctx, cause, id("v")))
			return func() error { _, err := p.RegisterView(ctx, cause, id("v"), file); return err }
		}, true},
		"undrop": {func(t *testing.T, p *process) func() error {
			gone := uuidOf(t, p.dropped(t, "t", at, false))
			return func() error { _, err := p.Undrop(ctx, cause, catalog.Undrop{UUID: gone}); return err }
		}, true},
		"repoint": {func(t *testing.T, p *process) func() error {
			file := p.table(t, "t", at).MetadataLocation
			_, err := p.commit(t, "t", "", set("k", "v"))
			must(t, err)
			return func() error { _, err := p.repoint(catalog.Repoint{To: file, AllowRewind: true}); return err }
		}, true},
		"beside it": {func(_ *testing.T, p *process) func() error {
			return func() error { _, err := p.CreateTable(ctx, cause, newTable("new", at+"2")); return err }
		}, false},
		"commit at its own place": {func(t *testing.T, p *process) func() error {
			p.table(t, "t", at, "write.data.path", at+"/data")
			return func() error { _, err := p.append(t, "t", 7); return err }
		}, false},
		"rename": {func(t *testing.T, p *process) func() error {
			p.table(t, "t", at)
			return func() error { return p.RenameTable(ctx, cause, id("t"), id("u")) }
		}, false},
		"drop": {func(t *testing.T, p *process) func() error {
			p.table(t, "t", at)
			return func() error { return p.DropTable(ctx, cause, id("t"), true) }
		}, false},
	} {
		t.Run(strings.ReplaceAll(what, " ", "-"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { checkWaits(t, test.prepare, path(t, at), test.waits) })
		})
	}
}

func checkWaits(t *testing.T, prepare func(*testing.T, *process) func() error, place string, waits bool) {
	t.Helper()
	p := fresh(t)
	do := prepare(t, p)
	release, err := p.Clear(ctx, []journal.Place{{Path: place, Role: "location"}})
	must(t, err)
	err = errors.New("not done")
	go func() { err = do() }()
	synctest.Wait()
	if (err == nil) == waits {
		t.Errorf("waits %v, want %v: %v", !waits, waits, err)
	}
	release()
	synctest.Wait()
	must(t, err)
	audit(t, p.ground)
}
