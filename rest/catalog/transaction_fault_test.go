package catalog_test

import (
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/rest/catalog"
)

// tablesScript is the part of the script about many tables at once, in plain and
// gzip files: born, changed, without effect, refused before and after the files
// were written; then handed over and taken back.
func tablesScript(g *ground) []request {
	commit := func(changes func(tb rapid.TB, request string) []catalog.Change) func(rapid.TB, *process, journal.Cause) error {
		return func(tb rapid.TB, p *process, cause journal.Cause) error {
			_, err := commitOver(tb, p.Catalog, cause, changes(tb, cause.RequestID)...)
			return err
		}
	}
	both := func(requirement, e, f string) func(rapid.TB, *process, journal.Cause) error {
		return commit(func(tb rapid.TB, request string) []catalog.Change {
			return []catalog.Change{change(tb, "e", "", set("k", request)+e), change(tb, "f", requirement, set("k", request)+f)}
		})
	}
	at := ""
	return append(start(g), []request{
		{"births", commit(func(tb rapid.TB, _ string) []catalog.Change {
			return []catalog.Change{born(tb, g, "f"), born(tb, g, "e")}
		})},
		{"transaction", both("", ","+set(codec, "gzip"), "")},
		{"transaction with no effect", commit(func(tb rapid.TB, _ string) []catalog.Change {
			return []catalog.Change{change(tb, "f", "", ""), change(tb, "e", "", "")}
		})},
		{"requirement of a transaction fails", both(`{"type":"assert-current-schema-id","current-schema-id":7}`, "", "")},
		{"place of a transaction is taken", both("", "", ","+set("write.data.path", g.url+"/a/data"))},
		{"unregister", func(_ rapid.TB, p *process, cause journal.Cause) error {
			table, err := p.UnregisterTable(ctx, cause, id("e"))
			at = table.MetadataLocation
			return err
		}},
		{"register", func(_ rapid.TB, p *process, cause journal.Cause) error {
			_, err := p.RegisterTable(ctx, cause, id("e"), at, false)
			return err
		}},
		{"overwrite with no effect", func(_ rapid.TB, p *process, cause journal.Cause) error {
			_, err := p.RegisterTable(ctx, cause, id("e"), at, true)
			return err
		}},
		{"drop one", func(_ rapid.TB, p *process, cause journal.Cause) error {
			return p.DropTable(ctx, cause, id("e"), false)
		}},
		{"drop the other", func(_ rapid.TB, p *process, cause journal.Cause) error {
			return p.DropTable(ctx, cause, id("f"), false)
		}},
	}...)
}
