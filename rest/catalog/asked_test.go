package catalog_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/internal/warehouse/faulty"
	"puddle/rest/catalog"
)

// asked are the requests to an object store since the last look, by operation.
type asked struct {
	mu sync.Mutex
	n  map[faulty.Op]int // guarded by mu
}

func (a *asked) hook(op faulty.Op, _ string) faulty.Fault {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.n == nil {
		a.n = map[faulty.Op]int{}
	}
	a.n[op]++
	return faulty.Fault{}
}

func (a *asked) take() map[faulty.Op]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.n
	a.n = nil
	return n
}

// What commands ask of an object store, and nothing else. Tables a and b and a view v
// are known; c is none yet.
func TestWhatAStoreIsAsked(t *testing.T) {
	is := func(op faulty.Op, n int) map[faulty.Op]int { return map[faulty.Op]int{op: n} }
	for what, test := range map[string]struct {
		do   func(t *testing.T, p *process) error
		asks map[faulty.Op]int
	}{
		"load":        {func(t *testing.T, p *process) error { p.load(t, "a"); return nil }, nil},
		"load view":   {func(_ *testing.T, p *process) error { _, err := p.LoadView(ctx, id("v")); return err }, nil},
		"exists":      {func(_ *testing.T, p *process) error { return p.TableExists(ctx, id("a")) }, nil},
		"create":      {func(t *testing.T, p *process) error { p.table(t, "c", ""); return nil }, is(faulty.Create, 1)},
		"create view": {func(t *testing.T, p *process) error { p.view(t, "c", ""); return nil }, is(faulty.Create, 1)},
		"staged create": {func(_ *testing.T, p *process) error {
			_, err := p.StageTable(ctx, newTable("c", ""))
			return err
		}, nil},
		"create by commit": {func(t *testing.T, p *process) error {
			_, err := p.CommitTables(ctx, cause, born(t, p.ground, "c"))
			return err
		}, is(faulty.Create, 1)},
		"commit":      {func(t *testing.T, p *process) error { _, err := p.append(t, "a", 1); return err }, is(faulty.Create, 1)},
		"commit view": {func(t *testing.T, p *process) error { _, err := p.commitView(t, "v", "", set("k", "v")); return err }, is(faulty.Create, 1)},
		"commit, requirement fails": {func(t *testing.T, p *process) error {
			_, err := p.commit(t, "a", `{"type":"assert-current-schema-id","current-schema-id":7}`, set("k", "v"))
			refused(t, err, catalog.CommitFailed)
			return nil
		}, nil},
		"commit, refused in the end": {func(t *testing.T, p *process) error {
			o := p.Options
			o.Recorder = refusing{}
			c := catalog.New(o)
			_, err := c.CreateTable(ctx, cause, newTable("c", ""))
			refused(t, err, catalog.AlreadyExists)
			return nil
		}, map[faulty.Op]int{faulty.Create: 1, faulty.Delete: 1}},
		"transaction": {func(t *testing.T, p *process) error {
			_, err := p.CommitTables(ctx, cause, change(t, "a", "", set("k", "v")), change(t, "b", "", set("k", "v")), born(t, p.ground, "c"))
			return err
		}, is(faulty.Create, 3)},
		"rename":    {func(_ *testing.T, p *process) error { return p.RenameTable(ctx, cause, id("a"), id("c")) }, nil},
		"drop":      {func(_ *testing.T, p *process) error { return p.DropTable(ctx, cause, id("a"), false) }, nil},
		"drop view": {func(_ *testing.T, p *process) error { return p.DropView(ctx, cause, id("v")) }, nil},
		"register": {func(t *testing.T, p *process) error {
			_, err := p.register("c", p.written(t, p.ground.url+"/c", "v1.metadata.json", ""))
			return err
		}, is(faulty.Get, 1)},
		"undrop": {func(t *testing.T, p *process) error {
			must(t, p.DropTable(ctx, cause, id("a"), false))
			_, err := p.Undrop(ctx, cause, catalog.Undrop{Identifier: id("a")})
			return err
		}, is(faulty.Get, 1)},
	} {
		t.Run(strings.ReplaceAll(what, " ", "-"), func(t *testing.T) {
			var asked asked
			p, _ := fresh(t).onBucket(t, asked.hook)
			p.table(t, "a", "")
			p.table(t, "b", "")
			p.view(t, "v", "")
			asked.take()
			must(t, test.do(t, p))
			if diff := cmp.Diff(test.asks, asked.take()); diff != "" {
				t.Errorf("asked: %s", diff)
			}
		})
	}
}

// What is not in memory is read by one request, and then known.
func TestUnknownFileIsReadOnce(t *testing.T) {
	var asked asked
	before := fresh(t)
	before.table(t, "t", "")
	before.view(t, "v", "")
	p, _ := before.onBucket(t, asked.hook)
	for range 2 {
		p.load(t, "t")
		_, err := p.LoadView(ctx, id("v"))
		must(t, err)
	}
	if diff := cmp.Diff(map[faulty.Op]int{faulty.Get: 2}, asked.take()); diff != "" {
		t.Errorf("asked: %s", diff)
	}
}
