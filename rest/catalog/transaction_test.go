package catalog_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/rest/catalog"
)

// born is the change that creates n.name.
func born(tb rapid.TB, g *ground, name string) catalog.Change {
	tb.Helper()
	id := uuid.NewString()
	staged := fmt.Appendf(nil, `{"table-uuid":%q,"location":%q}`, id, g.url+"/"+id)
	return change(tb, name, assertCreate, births(tb, catalog.Table{Metadata: staged}))
}

// Commits, a creation and a change without effect are one event.
func TestTransaction(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		a, b := p.table(t, "a", ""), p.table(t, "b", "", "k", "v")
		requirements, updates := appendTo(t, a, "main", 7)
		got, err := p.CommitTables(ctx, called("all"), change(t, "b", "", set("k", "v")),
			born(t, g, "c"), change(t, "a", requirements, updates))
		must(t, err)
		want := []catalog.Table{b, p.load(t, "c"), p.load(t, "a")}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("answered and loaded differ: %s", diff)
		}
		e := last(t, g)
		body, ok := e.Body.(journal.TablesCommitted)
		if !ok || len(body.Moves) != 2 || e.Cause.RequestID != "all" {
			t.Fatalf("the event of %q: %+v", e.Cause.RequestID, e.Body)
		}
		if c, a := body.Moves[0], body.Moves[1]; c.From != nil || c.Identifier().Name != "c" || a.From == nil || *a.SnapshotID != 7 {
			t.Errorf("moves: %+v", body.Moves)
		}
		if n := len(audit(t, g)); n != 4 {
			t.Errorf("%d events", n)
		}
	})
}

// Whatever is wrong with one of three, none is done and no file is left.
func TestCase119_AllOrNothing(t *testing.T) {
	p := fresh(t)
	for _, name := range []string{"a", "b", "c"} {
		p.table(t, name, "")
	}
	had, was := files(t, p.ground), []catalog.Table{p.load(t, "a"), p.load(t, "b"), p.load(t, "c")}
	good := func(name string) catalog.Change { return change(t, name, "", set("k", "v")) }
	overlap := change(t, "b", "", set("write.data.path", read(t, was[2].Metadata).Location+"/data"))
	for _, test := range []struct {
		what    string
		changes []catalog.Change
		code    catalog.Code
		parts   []string
	}{
		{"a requirement fails", []catalog.Change{good("a"), change(t, "b", `{"type":"assert-current-schema-id","current-schema-id":7}`, set("k", "v")), good("c")},
			catalog.CommitFailed, []string{"Requirement failed: current schema changed", "(table n.b)"}},
		{"an update is wrong", []catalog.Change{good("a"), change(t, "b", "", setRef("main", 7))}, catalog.Invalid, []string{"n.b"}},
		{"no such table", []catalog.Change{good("a"), good("d")}, catalog.NoSuchTable, []string{"Table does not exist: n.d"}},
		{"one twice", []catalog.Change{good("a"), good("b"), good("a")}, catalog.Invalid, []string{"n.a twice"}},
		{"created twice", []catalog.Change{good("b"), born(t, p.ground, "a")}, catalog.CommitFailed, []string{"table already exists", "n.a"}},
		{"a place is taken", []catalog.Change{good("a"), overlap}, catalog.AlreadyExists, []string{"overlaps"}},
		{"too many", slices.Repeat([]catalog.Change{good("a")}, journal.MaxMoves+1), catalog.Invalid, []string{"10001 tables", "10000"}},
	} {
		t.Run(test.what, func(t *testing.T) {
			_, err := p.CommitTables(ctx, cause, test.changes...)
			refused(t, err, test.code, test.parts...)
			if diff := cmp.Diff(had, files(t, p.ground)); diff != "" {
				t.Errorf("files: %s", diff)
			}
		})
	}
	if diff := cmp.Diff(was, []catalog.Table{p.load(t, "a"), p.load(t, "b"), p.load(t, "c")}); diff != "" || len(audit(t, p.ground)) != 4 {
		t.Errorf("something changed: %s", diff)
	}
}

// A transaction in which nothing changes is no event.
func TestCase128_TransactionWithoutEffect(t *testing.T) {
	p := fresh(t)
	a, b := p.table(t, "a", "", "k", "v"), p.table(t, "b", "")
	got, err := p.CommitTables(ctx, cause, change(t, "b", "", ""), change(t, "a", "", set("k", "v")))
	must(t, err)
	if diff := cmp.Diff([]catalog.Table{b, a}, got); diff != "" || len(audit(t, p.ground)) != 3 {
		t.Errorf("something changed: %s", diff)
	}
	if none, err := p.CommitTables(ctx, cause); err != nil || len(none) != 0 {
		t.Errorf("no changes: %v, %v", none, err)
	}
}

// Who reads the three tables one after the other never finds a later one older:
// all of a transaction is seen at once.
func TestCase119_ReadersSeeNoHalf(t *testing.T) {
	for _, k := range []kind{{"memory", inMemory}, {"tables", onTables}} {
		t.Run(k.name, func(t *testing.T) {
			g := k.clear(t, t.TempDir())
			t.Cleanup(func() { g.close(t) })
			p := running(t, g)
			p.namespace(t, nil, "n")
			all := []string{"a", "b", "c"}
			for _, name := range all {
				p.table(t, name, "", "k", "0")
			}
			const last = 60
			var group sync.WaitGroup
			for range 3 {
				group.Go(func() { p.watch(t, all, last) })
			}
			for i := range last {
				k := set("k", strconv.Itoa(i+1))
				_, err := p.CommitTables(ctx, cause, change(t, "c", "", k), change(t, "a", "", k), change(t, "b", "", k))
				must(t, err)
			}
			group.Wait()
		})
	}
}

// watch reads tables in turn until one is at the last number, and checks that
// numbers never go back.
func (p *process) watch(t *testing.T, tables []string, last int) {
	for seen := 0; seen < last; {
		for _, name := range tables {
			table, err := p.LoadTable(ctx, id(name))
			if err != nil {
				t.Error(err)
				return
			}
			k, _ := strconv.Atoi(read(t, table.Metadata).Properties["k"])
			if k < seen {
				t.Errorf("%s is at %d after %d was seen", name, k, seen)
			}
			seen = k
		}
	}
}

// Another server's commit lands at one of the tables between look and record: the
// whole is applied again, unless a requirement does not hold any more.
func TestTransactionAfterAnother(t *testing.T) {
	for _, requirement := range []string{"", `{"type":"assert-current-schema-id","current-schema-id":0}`} {
		p := fresh(t)
		p.table(t, "a", "")
		p.table(t, "b", "")
		other, n := p.another(t, p.ground.files), 0
		options := p.Options
		options.Recorder = atRecord{p.recorder, func() {
			if n++; n == 1 {
				_, err := commitOver(t, other, cause, change(t, "b", "", set("other", "v")+`,{"action":"add-schema","schema":{"type":"struct","fields":[]}},{"action":"set-current-schema","schema-id":-1}`))
				must(t, err)
			}
		}}
		_, err := catalog.New(options).CommitTables(ctx, cause, change(t, "a", "", set("k", "v")), change(t, "b", requirement, set("k", "v")))
		d := read(t, p.load(t, "b").Metadata)
		if requirement == "" {
			must(t, err)
			if d.Properties["k"] != "v" || d.Properties["other"] != "v" || n != 2 {
				t.Errorf("after %d records: %v", n, d.Properties)
			}
		} else {
			refused(t, err, catalog.CommitFailed, "Requirement failed: current schema changed")
			if _, there := read(t, p.load(t, "a").Metadata).Properties["k"]; there || n != 1 {
				t.Errorf("half was done, %d records", n)
			}
		}
		if left := strays(t, p.ground, audit(t, p.ground)); len(left) != 0 {
			t.Errorf("left behind: %q", left)
		}
	}
}

// Transactions over the same tables in any order, on two servers: none waits for
// ever, and nothing that was acknowledged is lost.
func TestCase113_TransactionsLoseNothing(t *testing.T) {
	p := fresh(t)
	all := []string{"a", "b", "c"}
	for _, name := range all {
		p.table(t, name, "")
	}
	servers := []*catalog.Catalog{p.Catalog, p.another(t, p.ground.files)}
	var group sync.WaitGroup
	errs := make([]error, 24)
	for i := range errs {
		k := set(fmt.Sprint("k", i), "v")
		changes := []catalog.Change{change(t, all[i%3], "", k), change(t, all[(i+1+i%2)%3], "", k)}
		group.Go(func() {
			errs[i] = untilAvailable(func() error { _, err := servers[i%2].CommitTables(ctx, cause, changes...); return err })
		})
	}
	group.Wait()
	must(t, errors.Join(errs...))
	total := 0
	for _, name := range all {
		total += len(read(t, p.load(t, name).Metadata).Properties) - 1
	}
	if total != 2*len(errs) {
		t.Errorf("%d of %d changes are there", total, 2*len(errs))
	}
	if left := strays(t, p.ground, audit(t, p.ground)); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}
