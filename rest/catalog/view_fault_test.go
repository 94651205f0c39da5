package catalog_test

import (
	"pgregory.net/rapid"

	"puddle/journal"
)

// viewScript is the part of the script about views: done, without effect, refused
// before and after the file was written, and registered.
func viewScript(g *ground) []request {
	commit := func(updates func(request string) string) func(rapid.TB, *process, journal.Cause) error {
		return func(tb rapid.TB, p *process, cause journal.Cause) error {
			_, err := commitViewOver(tb, p.Catalog, cause, "v", "", updates(cause.RequestID))
			return err
		}
	}
	at := ""
	return append(start(g), []request{
		{"view", func(_ rapid.TB, p *process, cause journal.Cause) error {
			v, err := p.CreateView(ctx, cause, newView("v", ""))
			at = v.MetadataLocation
			return err
		}},
		{"replace", commit(replace)},
		{"view with no effect", commit(func(string) string { return `{"action":"upgrade-format-version","format-version":1}` })},
		{"place of a view is taken", commit(func(string) string { return set("write.metadata.path", g.url+"/a/v") })},
		{"rename view", func(_ rapid.TB, p *process, cause journal.Cause) error {
			return p.RenameView(ctx, cause, id("v"), id("w"))
		}},
		{"drop view", func(_ rapid.TB, p *process, cause journal.Cause) error {
			return p.DropView(ctx, cause, id("w"))
		}},
		{"register view", func(_ rapid.TB, p *process, cause journal.Cause) error {
			_, err := p.RegisterView(ctx, cause, id("w"), at)
			return err
		}},
		{"drop it again", func(_ rapid.TB, p *process, cause journal.Cause) error {
			return p.DropView(ctx, cause, id("w"))
		}},
	}...)
}
