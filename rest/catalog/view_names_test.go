package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers/sqlite"
	"puddle/rest/catalog"
)

// Case 97: every way to take a name, over a table and over a view. No route of
// one kind finds the other.
func TestCase97_OneNameSpace(t *testing.T) {
	p := fresh(t)
	p.table(t, "t", "")
	p.view(t, "v", "")
	p.table(t, "a", "")
	p.view(t, "b", "")
	staged, err := p.StageTable(ctx, newTable("new", ""))
	must(t, err)
	oldTable, oldView := p.table(t, "old", "").MetadataLocation, p.view(t, "older", "").MetadataLocation
	must(t, errors.Join(p.DropTable(ctx, cause, id("old"), false), p.DropView(ctx, cause, id("older"))))
	events := len(audit(t, p.ground))
	for _, c := range []struct {
		what, overTable, overView string
		take                      func(name string) error
	}{
		{"create table", "Table already exists: n.t", "View with same name already exists: n.v",
			func(name string) error { _, err := p.CreateTable(ctx, cause, newTable(name, "")); return err }},
		{"stage table", "Table already exists: n.t", "View with same name already exists: n.v",
			func(name string) error { _, err := p.StageTable(ctx, newTable(name, "")); return err }},
		{"create table by commit", "Requirement failed: table already exists", "View with same name already exists: n.v",
			func(name string) error { _, err := p.commit(t, name, assertCreate, births(t, staged)); return err }},
		{"rename table", "Cannot rename n.a to n.t. Table already exists", "Cannot rename n.a to n.v. View already exists",
			func(name string) error { return p.RenameTable(ctx, cause, id("a"), id(name)) }},
		{"register table", "Table already exists: n.t", "View with same name already exists: n.v",
			func(name string) error { _, err := p.RegisterTable(ctx, cause, id(name), oldTable, false); return err }},
		{"create view", "Table with same name already exists: n.t", "View already exists: n.v",
			func(name string) error { _, err := p.CreateView(ctx, cause, newView(name, "")); return err }},
		{"rename view", "Cannot rename n.b to n.t. Table already exists", "Cannot rename n.b to n.v. View already exists",
			func(name string) error { return p.RenameView(ctx, cause, id("b"), id(name)) }},
		{"register view", "Table with same name already exists: n.t", "View already exists: n.v",
			func(name string) error { _, err := p.RegisterView(ctx, cause, id(name), oldView); return err }},
	} {
		code := catalog.AlreadyExists
		if c.what == "create table by commit" {
			code = catalog.CommitFailed
		}
		t.Run(c.what, func(t *testing.T) {
			refused(t, c.take("t"), code, c.overTable)
			refused(t, c.take("v"), catalog.AlreadyExists, c.overView)
		})
	}
	_, err = p.LoadTable(ctx, id("v"))
	refused(t, err, catalog.NoSuchTable)
	_, err = p.LoadView(ctx, id("t"))
	refused(t, err, catalog.NoSuchView)
	_, err = p.commitView(t, "t", "", set("k", "v"))
	refused(t, err, catalog.NoSuchView)
	refused(t, p.DropTable(ctx, cause, id("v"), false), catalog.NoSuchTable)
	refused(t, p.DropView(ctx, cause, id("t")), catalog.NoSuchView)
	refused(t, p.RenameTable(ctx, cause, id("v"), id("w")), catalog.NoSuchTable)
	refused(t, p.RenameView(ctx, cause, id("t"), id("w")), catalog.NoSuchView)
	if n := len(audit(t, p.ground)); n != events {
		t.Errorf("%d events of refusals", n-events)
	}
}

// Case 97 in races: of everything that takes one name at once, over two servers,
// one has it. Case 125: the others are told so.
func TestCase97_Races(t *testing.T) {
	rounds := map[string]int{"memory": 20, "disk": 3}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			g := k.clear(t, t.TempDir())
			t.Cleanup(func() { g.close(t) })
			p := running(t, g)
			p.namespace(t, nil, "n")
			servers := []*catalog.Catalog{p.Catalog, p.another(t, g.files)}
			for round := range rounds[k.name] {
				raceForName(t, p, servers, round)
			}
			if left := strays(t, g, audit(t, g)); len(left) != 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func raceForName(t *testing.T, p *process, servers []*catalog.Catalog, round int) {
	t.Helper()
	name := fmt.Sprint("x", round)
	staged, err := p.StageTable(ctx, newTable(name, ""))
	must(t, err)
	staging := change(t, name, assertCreate, births(t, staged))
	var takers []func(*catalog.Catalog) error
	for i := range 4 {
		table, view := fmt.Sprintf("t%d-%d", round, i), fmt.Sprintf("v%d-%d", round, i)
		p.table(t, table, "")
		p.view(t, view, "")
		oldTable, oldView := p.table(t, "old", "").MetadataLocation, p.view(t, "older", "").MetadataLocation
		must(t, errors.Join(p.DropTable(ctx, cause, id("old"), false), p.DropView(ctx, cause, id("older"))))
		takers = append(takers,
			func(c *catalog.Catalog) error { _, err := c.CreateTable(ctx, cause, newTable(name, "")); return err },
			func(c *catalog.Catalog) error { _, err := c.CreateView(ctx, cause, newView(name, "")); return err },
			func(c *catalog.Catalog) error { return c.RenameTable(ctx, cause, id(table), id(name)) },
			func(c *catalog.Catalog) error { return c.RenameView(ctx, cause, id(view), id(name)) },
			func(c *catalog.Catalog) error { _, err := c.RegisterView(ctx, cause, id(name), oldView); return err },
			func(c *catalog.Catalog) error {
				_, err := c.RegisterTable(ctx, cause, id(name), oldTable, false)
				return err
			},
		)
	}
	takers = append(takers, func(c *catalog.Catalog) error { _, err := c.CommitTables(ctx, cause, staging); return err })
	errs := make([]error, len(takers))
	start := make(chan struct{})
	var group sync.WaitGroup
	for i, take := range takers {
		group.Go(func() {
			<-start
			errs[i] = take(servers[i/6%len(servers)])
		})
	}
	close(start)
	group.Wait()
	won := 0
	for i, err := range errs {
		if err == nil {
			won++
		} else if !hasCode(err, catalog.AlreadyExists, catalog.CommitFailed) {
			t.Errorf("round %d, %d: lost with %v", round, i, err)
		}
	}
	if won != 1 || (p.TableExists(ctx, id(name)) == nil) == (p.ViewExists(ctx, id(name)) == nil) {
		t.Errorf("round %d: %d won", round, won)
	}
}

// Replaces of one view at once, over two servers, all have their way, in some
// order (iceberg-rest §4.8).
func TestViewsReplacedAtOnce(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		p.view(t, "v", "", "version.history.num-entries", "50")
		servers := []*catalog.Catalog{p.Catalog, p.another(t, g.files)}
		const writers = 8
		errs := make([]error, writers)
		var group sync.WaitGroup
		for i := range writers {
			group.Go(func() {
				_, errs[i] = commitViewOver(t, servers[i%2], cause, "v", "", replace(fmt.Sprint("select 1", i)))
			})
		}
		group.Wait()
		must(t, errors.Join(errs...))
		d := readView(t, p.loadView(t, "v"))
		if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8, 9}, d.versions()); diff != "" || d.Current != writers+1 || len(d.Log) != writers+1 {
			t.Errorf("current %d, log %v, versions %s", d.Current, d.Log, diff)
		}
		if left := strays(t, g, audit(t, g)); len(left) != 0 {
			t.Errorf("left behind: %q", left)
		}
	})
}

// Whatever clients do to tables and views of one namespace, with restarts in
// between that sometimes find the pointer tables gone: the laws hold, every name
// is of one object, and every object is what its last acknowledged change made it.
func TestLawTablesAndViews(t *testing.T) {
	tables, err := sqlite.Open(filepath.Join(t.TempDir(), "puddle.db"), sqlite.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, tables.Close()) })
	rapid.Check(t, func(rt *rapid.T) {
		g := overTables(rt, tables)
		m := &mixed{TB: rt, process: g.start(rt, nil), objects: map[string]any{}}
		defer func() { m.stop(rt) }()
		m.namespace(rt, nil, "n")
		for range rapid.IntRange(1, 30).Draw(rt, "commands") {
			m.act(rt)
		}
		m.check()
		if left := strays(rt, g, audit(rt, g)); len(left) != 0 {
			rt.Fatalf("left behind: %q", left)
		}
	})
}

// mixed sends commands about both kinds and remembers what has each name: a
// catalog.Table or a catalog.View.
type mixed struct {
	rapid.TB
	*process
	objects map[string]any
}

func (m *mixed) act(t *rapid.T) {
	name := names.Draw(t, "name")
	_, isTable := m.objects[name].(catalog.Table)
	_, isView := m.objects[name].(catalog.View)
	free := !isTable && !isView
	switch rapid.SampledFrom([]string{"create table", "create view", "replace", "set", "rename table", "rename view", "drop table", "drop view", "restart"}).Draw(t, "command") {
	case "create table":
		table, err := m.CreateTable(ctx, cause, newTable(name, ""))
		m.outcome(name, table, err, free, catalog.AlreadyExists)
	case "create view":
		view, err := m.CreateView(ctx, cause, newView(name, ""))
		m.outcome(name, view, err, free, catalog.AlreadyExists)
	case "replace":
		view, err := m.commitView(t, name, "", replace(uuid.NewString()))
		m.outcome(name, view, err, isView, catalog.NoSuchView)
	case "set":
		table, err := m.commit(t, name, "", set("k", uuid.NewString()))
		m.outcome(name, table, err, isTable, catalog.NoSuchTable)
	case "rename table":
		m.rename(t, name, isTable, m.RenameTable, catalog.NoSuchTable)
	case "rename view":
		m.rename(t, name, isView, m.RenameView, catalog.NoSuchView)
	case "drop table":
		m.outcome(name, nil, m.DropTable(ctx, cause, id(name), false), isTable, catalog.NoSuchTable)
	case "drop view":
		m.outcome(name, nil, m.DropView(ctx, cause, id(name)), isView, catalog.NoSuchView)
	case "restart":
		m.stop(t)
		m.ground.reopen(t, rapid.Bool().Draw(t, "tables lost"))
		m.process = m.ground.start(t, nil)
	}
}

func (m *mixed) rename(t *rapid.T, name string, can bool, rename func(context.Context, journal.Cause, journal.Identifier, journal.Identifier) error, missing catalog.Code) {
	to := names.Draw(t, "to")
	err := rename(ctx, cause, id(name), id(to))
	if _, taken := m.objects[to]; can && taken {
		refused(t, err, catalog.AlreadyExists)
		return
	}
	object := m.objects[name]
	if m.outcome(name, nil, err, can, missing); can {
		m.objects[to] = object
	}
}

// outcome checks that what can be done is, and what cannot is refused, and takes
// it into the model.
func (m *mixed) outcome(name string, object any, err error, can bool, otherwise catalog.Code) {
	m.Helper()
	switch {
	case !can:
		refused(m, err, otherwise)
	case err != nil:
		m.Fatalf("%s: %v", name, err)
	case object == nil:
		delete(m.objects, name)
	default:
		m.objects[name] = object
	}
}

func (m *mixed) check() {
	m.Helper()
	tables, err := m.Tables(ctx, journal.Namespace{"n"}, projections.Page{})
	must(m, err)
	views, err := m.Views(ctx, journal.Namespace{"n"}, projections.Page{})
	must(m, err)
	all := append(tables, views...)
	slices.Sort(all)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(m.objects)), all, cmpopts.EquateEmpty()); diff != "" {
		m.Fatalf("listed: %s", diff)
	}
	for name, want := range m.objects {
		var got any
		if _, ok := want.(catalog.View); ok {
			got = m.loadView(m, name)
		} else {
			got = m.load(m, name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			m.Fatalf("%s: %s", name, diff)
		}
	}
}
