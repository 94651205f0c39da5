package catalog_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"puddle/internal/warehouse/faulty"
	"puddle/rest/catalog"
)

// gate is a catalog whose files nobody writes while it is shut.
type gate struct {
	*catalog.Catalog
	opened chan struct{}

	mu  sync.Mutex
	did []faulty.Op // guarded by mu: what was asked of the store
}

func gated(t *testing.T, p *process) *gate {
	t.Helper()
	g := &gate{opened: make(chan struct{})}
	g.Catalog = p.over(t, func(op faulty.Op, _ string) faulty.Fault {
		g.mu.Lock()
		g.did = append(g.did, op)
		g.mu.Unlock()
		if op == faulty.Create {
			<-g.opened
		}
		return faulty.Fault{}
	})
	return g
}

// changed is what was asked of the store after the first n, but for looks.
func (g *gate) changed(n int) []faulty.Op {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(g.did[n:]), func(op faulty.Op) bool { return op == faulty.Stat || op == faulty.Get })
}

var errWaits = errors.New("no answer yet")

// begin commits and comes back when that has its answer, or waits.
func (g *gate) begin(c catalog.Change) (answer *error) {
	answer = new(error)
	*answer = errWaits
	go func() { _, *answer = g.CommitTables(ctx, cause, c) }()
	synctest.Wait()
	return answer
}

// warmUp makes what packages make once, and must not make in a bubble.
func warmUp(t *testing.T) {
	t.Helper()
	p := fresh(t)
	p.table(t, "t", "")
	audit(t, p.ground)
}

// Case 122: who commits to a version that was overtaken is refused at once, with
// nothing written, while one writes its file and others wait for it. Whoever may
// still land waits, and lands.
func TestCase122_LoserDoesNotWait(t *testing.T) {
	warmUp(t)
	synctest.Test(t, func(t *testing.T) {
		p := fresh(t)
		staged, err := p.StageTable(ctx, newTable("t", ""))
		must(t, err)
		p.table(t, "u", "")
		stale, updates := appendTo(t, p.table(t, "t", ""), "main", 1)
		current, err := p.commit(t, "t", stale, updates)
		must(t, err)
		good, goodUpdates := appendTo(t, current, "main", 2)

		g := gated(t, p)
		answers := []*error{
			g.begin(change(t, "t", "", set("k", "v"))), g.begin(change(t, "t", "", set("l", "v"))), g.begin(change(t, "t", good, goodUpdates)),
		}
		for what, changes := range map[string][]catalog.Change{
			"commit":      {change(t, "t", stale, updates)},
			"transaction": {change(t, "u", "", set("k", "v")), change(t, "t", stale, updates)},
			"create":      {change(t, "t", assertCreate, births(t, staged))},
		} {
			n := len(g.did)
			_, err := g.CommitTables(ctx, cause, changes...)
			refused(t, err, catalog.CommitFailed, "Requirement failed: ")
			if wrote := g.changed(n); len(wrote) > 0 {
				t.Errorf("%s: refused after %q", what, wrote)
			}
		}
		for i, answer := range answers {
			if !errors.Is(*answer, errWaits) {
				t.Errorf("%d did not wait: %v", i, *answer)
			}
		}
		close(g.opened)
		synctest.Wait()
		for _, answer := range answers {
			must(t, *answer)
		}
		d := read(t, p.load(t, "t").Metadata)
		if d.Current != 2 || d.Properties["k"] != "v" || d.Properties["l"] != "v" {
			t.Errorf("landed: %+v", d)
		}
		audit(t, p.ground)
	})
}

// Who could have landed when it came is refused as soon as another has, and not
// after those before it in line.
func TestCase122_LoserInLine(t *testing.T) {
	warmUp(t)
	synctest.Test(t, func(t *testing.T) {
		p := fresh(t)
		table := p.table(t, "t", "")
		g := gated(t, p)
		requirements, updates := appendTo(t, table, "main", 1)
		wins := g.begin(change(t, "t", requirements, updates))
		next := g.begin(change(t, "t", "", set("k", "v")))
		requirements, updates = appendTo(t, table, "main", 2)
		loses := g.begin(change(t, "t", requirements, updates))
		if !errors.Is(*loses, errWaits) {
			t.Errorf("did not wait: %v", *loses)
		}
		g.opened <- struct{}{} // for one file
		synctest.Wait()
		must(t, *wins)
		refused(t, *loses, catalog.CommitFailed, "Requirement failed: ")
		if !errors.Is(*next, errWaits) {
			t.Errorf("its file is written: %v", *next)
		}
		close(g.opened)
		synctest.Wait()
		must(t, *next)
		audit(t, p.ground)
	})
}

// What is refused for another reason than a requirement, or not at all, waits for
// its turn: it may be done by then.
func TestOnlyRequirementsAreRefusedEarly(t *testing.T) {
	warmUp(t)
	synctest.Test(t, func(t *testing.T) {
		p := fresh(t)
		staged, err := p.StageTable(ctx, newTable("t", ""))
		must(t, err)
		g := gated(t, p)
		create := g.begin(change(t, "t", assertCreate, births(t, staged)))
		missing := g.begin(change(t, "t", "", set("k", "v")))
		if !errors.Is(*missing, errWaits) {
			t.Errorf("did not wait: %v", *missing)
		}
		close(g.opened)
		synctest.Wait()
		must(t, errors.Join(*create, *missing))
		if got := read(t, p.load(t, "t").Metadata).Properties["k"]; got != "v" {
			t.Errorf("k is %q", got)
		}
		audit(t, p.ground)
	})
}
