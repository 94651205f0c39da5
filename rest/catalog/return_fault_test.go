package catalog_test

import (
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/rest/catalog"
)

// returnScript is the part of the script about what comes back and goes back: done,
// without effect, and refused.
func returnScript(g *ground) []request {
	drop := func(name string, purge bool) func(rapid.TB, *process, journal.Cause) error {
		return func(_ rapid.TB, p *process, cause journal.Cause) error {
			return p.DropTable(ctx, cause, id(name), purge)
		}
	}
	undrop := func(name, as string) func(rapid.TB, *process, journal.Cause) error {
		return func(_ rapid.TB, p *process, cause journal.Cause) error {
			_, err := p.Undrop(ctx, cause, catalog.Undrop{Identifier: id(name), As: id(as)})
			return err
		}
	}
	return append(start(g), []request{
		{"append", appending("a", 1)},
		{"nothing to undrop", undrop("never", "never")},
		{"drop to return", drop("a", true)},
		{"undrop as", undrop("a", "b")},
		{"counters go back", repointing("b", false)},
		{"repoint", repointing("b", true)},
		{"repoint with no effect", func(tb rapid.TB, p *process, cause journal.Cause) error {
			if err := repointing("b", true)(tb, p, cause); !hasCode(err, "unchanged") {
				return err
			}
			return nil
		}},
		{"drop without a purge", drop("b", false)},
		{"undrop", undrop("b", "a")},
	}...)
}

// repointing goes to the first file that a table had.
func repointing(name string, force bool) func(rapid.TB, *process, journal.Cause) error {
	return func(_ rapid.TB, p *process, cause journal.Cause) error {
		object, err := p.Reader.Object(ctx, id(name))
		if err != nil {
			return &catalog.Error{Code: catalog.NoSuchTable, Message: err.Error()}
		}
		steps, err := p.Reader.Steps(ctx, object.UUID)
		if err != nil {
			return &catalog.Error{Code: catalog.Unavailable, Message: err.Error()}
		}
		done, err := p.Repoint(ctx, cause, catalog.Repoint{
			UUID: object.UUID, To: steps[0].Move.To.Pointer.MetadataLocation, AllowRewind: true, Force: force, Reason: "a test",
		})
		if err == nil && !done.Changed {
			return &catalog.Error{Code: "unchanged", Message: "it is there already"}
		}
		return err
	}
}
