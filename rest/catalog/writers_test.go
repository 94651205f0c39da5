package catalog_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"puddle/journal"
	"puddle/rest/catalog"
)

// Many writers, over two servers, append to one table and try again when they
// lose. Every acknowledged snapshot is in the chain of main, and nothing else.
func TestCase113_LostUpdates(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			g := k.clear(t, t.TempDir())
			t.Cleanup(func() { g.close(t) })
			p := running(t, g)
			p.namespace(t, nil, "n")
			p.table(t, "t", "", "write.metadata.previous-versions-max", "3")
			appends := map[string]int{"memory": 25, "disk": 4}[k.name]
			servers := []*catalog.Catalog{p.Catalog, p.another(t, g.files)}
			var group sync.WaitGroup
			acknowledged := make([][]int64, 16)
			for w := range acknowledged {
				group.Go(func() {
					for i := range appends {
						snapshot := int64(1 + w*appends + i)
						if appendUntilDone(t, servers[w%2], "t", snapshot) {
							acknowledged[w] = append(acknowledged[w], snapshot)
						}
					}
				})
			}
			group.Wait()
			want := slices.Sorted(slices.Values(slices.Concat(acknowledged...)))
			if len(want) != 16*appends {
				t.Errorf("%d of %d appends were acknowledged", len(want), 16*appends)
			}
			got := slices.Sorted(slices.Values(chain(t, p.load(t, "t"))))
			if !slices.Equal(want, got) {
				t.Errorf("acknowledged %v, in the chain %v", want, got)
			}
			if events := audit(t, g); len(events) != 2+len(want) {
				t.Errorf("%d events of %d commits", len(events), len(want))
			}
			if left := strays(t, g, audit(t, g)); len(left) != 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// appendUntilDone is a client: it loads, commits, and begins again when told that
// a requirement failed.
func appendUntilDone(t *testing.T, c *catalog.Catalog, name string, snapshot int64) bool {
	t.Helper()
	for {
		loaded, err := c.LoadTable(ctx, id(name))
		if err != nil {
			t.Error(err)
			return false
		}
		requirements, updates := appendTo(t, loaded, "main", snapshot)
		_, err = commitOver(t, c, cause, change(t, name, requirements, updates))
		if err == nil {
			return true
		}
		if !hasCode(err, catalog.CommitFailed, catalog.Unavailable) {
			t.Error(err)
			return false
		}
	}
}

func hasCode(err error, codes ...catalog.Code) bool {
	var refusal *catalog.Error
	return errors.As(err, &refusal) && slices.Contains(codes, refusal.Code)
}

// chain is main's snapshots, from the newest back through its parents.
func chain(t *testing.T, table catalog.Table) []int64 {
	t.Helper()
	d := read(t, table.Metadata)
	parents := map[int64]int64{}
	for _, s := range d.Snapshots {
		parents[s.ID] = s.Parent
	}
	var chain []int64
	for s := d.Current; s > 0; s = parents[s] {
		chain = append(chain, s)
	}
	return chain
}

// Whose requirements still hold is not told that it lost a race: the server
// applies its updates to the newer version.
func TestWritersWithoutRequirements(t *testing.T) {
	p := fresh(t)
	p.table(t, "t", "")
	servers := []*catalog.Catalog{p.Catalog, p.another(t, p.ground.files), p.another(t, p.ground.files)}
	errs := make([]error, 48)
	var group sync.WaitGroup
	for i := range errs {
		c := change(t, "t", "", set(fmt.Sprint("k", i), "v"))
		group.Go(func() {
			errs[i] = untilAvailable(func() error { _, err := servers[i%3].CommitTables(ctx, cause, c); return err })
		})
	}
	group.Wait()
	must(t, errors.Join(errs...))
	if n := len(read(t, p.load(t, "t").Metadata).Properties); n != 48+1 { // and the one that is set on new tables
		t.Errorf("%d properties", n)
	}
	if left := strays(t, p.ground, audit(t, p.ground)); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

// Another server's commit lands between look and record, a few times or whenever
// this one tries. Requirements are held against each newer version.
func TestPointerMovesMeanwhile(t *testing.T) {
	for what, do := range map[string]func(*catalog.Catalog) error{
		"commit": func(c *catalog.Catalog) error {
			_, err := commitOver(t, c, cause, change(t, "t", "", set("k", "v")))
			return err
		},
		"rename": func(c *catalog.Catalog) error { return c.RenameTable(ctx, cause, id("t"), id("u")) },
		"drop":   func(c *catalog.Catalog) error { return c.DropTable(ctx, cause, id("t"), false) },
	} {
		for _, times := range []int{1, 19, 1000} {
			p := fresh(t)
			p.table(t, "t", "")
			other, n := p.another(t, p.ground.files), 0
			options := p.Options
			options.Recorder = atRecord{p.recorder, func() {
				if n++; n <= times {
					_, err := commitOver(t, other, cause, change(t, "t", "", set("other", fmt.Sprint(n))))
					must(t, err)
				}
			}}
			if err := do(catalog.New(options)); times < 1000 && err != nil {
				t.Errorf("%s after %d: %v", what, times, err)
			} else if times == 1000 {
				refused(t, err, catalog.Unavailable, "n.t")
			}
			if left := strays(t, p.ground, audit(t, p.ground)); len(left) != 0 {
				t.Errorf("left behind: %q", left)
			}
		}
	}
}

// untilAvailable asks again what other servers kept from being done, as clients
// do. Within one server nobody is kept from it.
func untilAvailable(ask func() error) error {
	for {
		if err := ask(); !hasCode(err, catalog.Unavailable) {
			return err
		}
	}
}

// Names move while others act on them, on two servers. Each request is done or
// refused for what was true at its moment; a table made in a namespace that was
// dropped and made again is in the one that is there now.
func TestCase125_NamesMove(t *testing.T) {
	p := fresh(t)
	p.namespace(t, nil, "m")
	p.table(t, "t", "")
	a, b := p.Catalog, p.another(t, p.ground.files)
	m := journal.Namespace{"m"}
	in := func(name string) journal.Identifier { return journal.Identifier{Namespace: m, Name: name} }
	type act struct {
		what string
		do   func(i int) error
		may  []catalog.Code
	}
	acts := []act{
		{"create", func(i int) error {
			t := newTable("", "")
			t.Identifier = in(fmt.Sprint("c", i))
			_, err := a.CreateTable(ctx, cause, t)
			return err
		}, []catalog.Code{catalog.NoSuchNamespace}},
		{"drop created", func(i int) error { return b.DropTable(ctx, cause, in(fmt.Sprint("c", i/2)), false) }, []catalog.Code{catalog.NoSuchTable}},
		{"drop namespace", func(int) error { return b.DropNamespace(ctx, cause, m) }, []catalog.Code{catalog.NoSuchNamespace, catalog.NamespaceNotEmpty}},
		{"create namespace", func(int) error { _, err := b.CreateNamespace(ctx, cause, m, nil); return err }, []catalog.Code{catalog.AlreadyExists}},
		{"rename there", func(int) error { return a.RenameTable(ctx, cause, id("t"), id("t2")) }, []catalog.Code{catalog.NoSuchTable, catalog.AlreadyExists}},
		{"rename back", func(int) error { return b.RenameTable(ctx, cause, id("t2"), id("t")) }, []catalog.Code{catalog.NoSuchTable, catalog.AlreadyExists}},
		{"commit", func(i int) error {
			_, err := commitOver(t, b, cause, change(t, []string{"t", "t2"}[i%2], "", set("k", fmt.Sprint(i))))
			return err
		}, []catalog.Code{catalog.NoSuchTable}},
	}
	var group sync.WaitGroup
	var done atomic.Int64
	for _, act := range acts {
		group.Go(func() {
			for i := range 150 {
				if err := untilAvailable(func() error { return act.do(i) }); err == nil {
					done.Add(1)
				} else if !hasCode(err, act.may...) {
					t.Errorf("%s: %v", act.what, err)
				}
			}
		})
	}
	group.Wait()
	events := audit(t, p.ground)
	if int64(len(events)) != 3+done.Load() {
		t.Errorf("%d events, %d acknowledged", len(events), done.Load())
	}
	if left := strays(t, p.ground, events); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}
