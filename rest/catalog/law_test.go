package catalog_test

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers/sqlite"
	"puddle/rest/catalog"
)

// Whatever clients do, with restarts in between that sometimes find the pointer
// tables gone: laws 1, 2, 6, 8 and 12 hold, and every table is what its last
// acknowledged change made it.
func TestLawAnyCommands(t *testing.T) {
	eachGround(t, func(rt *rapid.T, g *ground) {
		u := &user{TB: rt, process: g.start(rt, nil), tables: map[string]catalog.Table{}}
		defer func() { u.stop(rt) }()
		u.namespace(rt, nil, "n")
		for range rapid.IntRange(1, 30).Draw(rt, "commands") {
			u.act(rt)
		}
		u.check()
		nothingLeft(rt, g)
	})
}

// eachGround checks a law in memory, with pointer tables that are there, too, or in a file
// that outlives each check.
func eachGround(t *testing.T, law func(rt *rapid.T, g *ground)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) { law(rt, inMemory(rt, "")) })
	})
	t.Run("tables", func(t *testing.T) { overFile(t, law) })
}

// overFile checks a law over pointer tables in a file.
func overFile(t *testing.T, law func(rt *rapid.T, g *ground)) {
	t.Helper()
	tables, err := sqlite.Open(filepath.Join(t.TempDir(), "puddle.db"), sqlite.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, tables.Close()) })
	rapid.Check(t, func(rt *rapid.T) { law(rt, overTables(rt, tables)) })
}

// nothingLeft looks for files that nobody names.
func nothingLeft(rt *rapid.T, g *ground) {
	if left := strays(rt, g, audit(rt, g)); len(left) != 0 {
		rt.Fatalf("left behind: %q", left)
	}
}

// overTables is a ground in memory but for tables that outlive it; it takes them
// over empty.
func overTables(tb rapid.TB, tables projections.Store) *ground {
	tb.Helper()
	g := inMemory(tb, "")
	g.pointers = tables
	g.reopen = func(tb rapid.TB, afresh bool) {
		if afresh {
			must(tb, tables.Warehouse(lake).Reset(ctx))
		}
	}
	g.reopen(tb, true)
	return g
}

// user sends commands and remembers what must be true: one model of the tables
// in the namespace n.
type user struct {
	rapid.TB
	*process
	tables   map[string]catalog.Table
	gone     []catalog.Table // versions that were dropped or handed over
	snapshot int64
}

var names = rapid.SampledFrom([]string{"a", "b", "c", "d.e", "é"})

func (u *user) act(t *rapid.T) {
	name := names.Draw(t, "name")
	switch rapid.SampledFrom([]string{"create", "stage", "append", "append", "set", "trim", "nothing", "move", "stale", "rename", "drop", "restart",
		"transaction", "transaction", "unregister", "register", "register"}).Draw(t, "command") {
	case "create":
		table, err := u.CreateTable(ctx, cause, newTable(name, u.place(t)))
		u.outcome(name, table, err, catalog.AlreadyExists)
	case "stage":
		u.stage(t, name)
	case "append":
		u.appends(name)
	case "set":
		property := rapid.SampledFrom([]string{"k", "k", codec}).Draw(t, "property")
		value := rapid.SampledFrom([]string{"gzip", "none"}).Draw(t, "value")
		table, err := u.commit(t, name, "", set(property, value))
		u.outcome(name, table, err, catalog.NoSuchTable)
	case "trim":
		max := rapid.SampledFrom([]string{"1", "2"}).Draw(t, "previous versions")
		table, err := u.commit(t, name, "", set(deleteAfterCommit, "true", previousVersions, max))
		u.outcome(name, table, err, catalog.NoSuchTable)
	case "nothing":
		table, err := u.commit(t, name, "", `{"action":"remove-properties","removals":["absent"]}`)
		u.outcome(name, table, err, catalog.NoSuchTable)
	case "move":
		table, err := u.commit(t, name, "", set("write.metadata.path", u.ground.url+"/m/"+names.Draw(t, "folder")))
		u.outcome(name, table, err, catalog.NoSuchTable, catalog.AlreadyExists)
	case "stale":
		_, err := u.commit(t, name, `{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":-5}`, set("k", "stale"))
		refused(t, err, u.either(name, catalog.CommitFailed, catalog.NoSuchTable))
	case "rename":
		u.rename(t, name)
	case "drop":
		err := u.DropTable(ctx, cause, id(name), false)
		u.agree(name, err)
		u.lose(name)
	case "transaction":
		u.transaction(t)
	case "unregister":
		table, err := u.UnregisterTable(ctx, cause, id(name))
		u.agree(name, err)
		if diff := cmp.Diff(u.tables[name], table); diff != "" {
			t.Fatalf("handed over: %s", diff)
		}
		u.lose(name)
	case "register":
		u.register(t, name)
	case "restart":
		u.stop(t)
		u.ground.reopen(t, rapid.Bool().Draw(t, "tables lost"))
		u.process = u.ground.start(t, nil)
	}
}

// place is where a table is asked for: mostly anywhere, else where tables meet.
func (u *user) place(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", u.ground.url + "/p", u.ground.url + "/p/q", u.ground.url + "/pq"}).Draw(t, "place")
}

func (u *user) stage(t *rapid.T, name string) {
	staged, err := u.StageTable(ctx, newTable(name, u.place(t)))
	if _, there := u.tables[name]; there {
		refused(t, err, catalog.AlreadyExists)
		return
	}
	if err != nil {
		refused(t, err, catalog.AlreadyExists, "overlaps")
		return
	}
	table, err := u.commit(t, name, assertCreate, births(t, staged))
	u.outcome(name, table, err, catalog.AlreadyExists)
}

func (u *user) appends(name string) {
	loaded, there := u.tables[name]
	if !there {
		return
	}
	u.snapshot++
	requirements, updates := appendTo(u, loaded, "main", u.snapshot)
	table, err := u.commit(u, name, requirements, updates)
	must(u, err)
	u.tables[name] = table
}

func (u *user) rename(t *rapid.T, name string) {
	to := names.Draw(t, "to")
	err := u.RenameTable(ctx, cause, id(name), id(to))
	table, there := u.tables[name]
	if _, taken := u.tables[to]; there && taken {
		refused(t, err, catalog.AlreadyExists)
		return
	}
	u.agree(name, err)
	if there {
		delete(u.tables, name)
		u.tables[to] = table
	}
}

// outcome takes a done change into the model; a refusal must be one of these.
func (u *user) outcome(name string, table catalog.Table, err error, may ...catalog.Code) {
	u.Helper()
	if err == nil {
		u.tables[name] = table
	} else if !hasCode(err, may...) {
		u.Fatalf("%s: %v", name, err)
	}
}

// agree checks that what needs a table was done exactly when it is there.
func (u *user) agree(name string, err error) {
	u.Helper()
	if _, there := u.tables[name]; there {
		must(u, err)
	} else {
		refused(u, err, catalog.NoSuchTable)
	}
}

func (u *user) either(name string, there, gone catalog.Code) catalog.Code {
	if _, ok := u.tables[name]; ok {
		return there
	}
	return gone
}

func (u *user) check() {
	u.Helper()
	listed, err := u.Tables(ctx, journal.Namespace{"n"}, projections.Page{})
	must(u, err)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(u.tables)), listed, cmpopts.EquateEmpty()); diff != "" {
		u.Fatalf("listed: %s", diff)
	}
	for name, want := range u.tables {
		if diff := cmp.Diff(want, u.load(u, name)); diff != "" {
			u.Fatalf("%s: %s", name, diff)
		}
	}
}

// lose takes a table out of the model; its last version may come back.
func (u *user) lose(name string) {
	if table, there := u.tables[name]; there {
		u.gone = append(u.gone, table)
		delete(u.tables, name)
	}
}

// transaction sets a property of two tables or makes one of them, all or none.
func (u *user) transaction(t *rapid.T) {
	pair := rapid.Permutation([]string{"a", "b", "c", "d.e", "é"}).Draw(t, "tables")[:2]
	k := set("k", rapid.SampledFrom([]string{"v", "w"}).Draw(t, "value"))
	changes := []catalog.Change{change(t, pair[0], "", k), change(t, pair[1], "", k)}
	_, first := u.tables[pair[0]]
	_, second := u.tables[pair[1]]
	if rapid.Bool().Draw(t, "creates") {
		changes[1] = born(t, u.ground, pair[1])
		second = !second
	}
	tables, err := u.CommitTables(ctx, cause, changes...)
	if !first || !second {
		if !hasCode(err, catalog.NoSuchTable, catalog.CommitFailed) {
			t.Fatalf("%q: %v", pair, err)
		}
		return
	}
	must(t, err)
	for i, name := range pair {
		u.tables[name] = tables[i]
	}
}

// register brings back a version that is gone, or tries to over what is there.
func (u *user) register(t *rapid.T, name string) {
	if len(u.gone) == 0 {
		return
	}
	back := rapid.SampledFrom(u.gone).Draw(t, "version")
	may := []catalog.Code{catalog.AlreadyExists}
	if !present(t, u.ground, back.MetadataLocation) {
		may = append(may, catalog.FileMissing)
	}
	table, err := u.RegisterTable(ctx, cause, id(name), back.MetadataLocation, rapid.Bool().Draw(t, "overwrite"))
	if err == nil {
		if diff := cmp.Diff(back, table); diff != "" {
			t.Fatalf("registered: %s", diff)
		}
	}
	u.outcome(name, table, err, may...)
}
