package catalog_test

import (
	"pgregory.net/rapid"

	"puddle/journal"
)

// namespaceScript goes through what is done to namespaces, in every way it ends.
func namespaceScript(*ground) []request {
	n := journal.Namespace{"n"}
	child := journal.Namespace{"n", "child"}
	create := func(name journal.Namespace) func(rapid.TB, *process, journal.Cause) error {
		return func(_ rapid.TB, p *process, cause journal.Cause) error {
			_, err := p.CreateNamespace(ctx, cause, name, map[string]string{"k": "v"})
			return err
		}
	}
	update := func(_ rapid.TB, p *process, cause journal.Cause) error { // never what was there
		_, err := p.UpdateNamespace(ctx, cause, n, []string{"k"}, map[string]string{"owner": cause.RequestID})
		return err
	}
	drop := func(name journal.Namespace) func(rapid.TB, *process, journal.Cause) error {
		return func(_ rapid.TB, p *process, cause journal.Cause) error { return p.DropNamespace(ctx, cause, name) }
	}
	return []request{
		{"namespace", create(n)},
		{"namespace is taken", create(n)},
		{"child", create(child)},
		{"update", update},
		{"update with no effect", func(_ rapid.TB, p *process, cause journal.Cause) error {
			_, err := p.UpdateNamespace(ctx, cause, n, []string{"nothing"}, nil)
			return err
		}},
		{"update once more", update},
		{"drop what is not empty", drop(n)},
		{"drop child", drop(child)},
		{"drop namespace", drop(n)},
		{"drop what is gone", drop(n)},
		{"namespace again", create(n)},
	}
}
