package catalog_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/rest/catalog"
)

// racers is how many ask for one place at once.
const racers = 32

// Many servers make, register and move tables and views at one location, at its
// parent, at its child and where some clients take another for it, by every
// property that owns a place: one wins, every time, and the others leave nothing.
func TestCase131_OverlapRaces(t *testing.T) {
	rounds := map[string]int{"memory": 60, "disk": 15}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			g := k.clear(t, t.TempDir())
			t.Cleanup(func() { g.close(t) })
			p := running(t, g)
			p.namespace(t, nil, "n")
			servers := []*process{p, {Catalog: p.another(t, g.files), ground: g, recorder: p.recorder}}
			for round := range rounds[k.name] {
				raceForPlace(t, servers, round)
			}
			auditTables(t, g)
		})
	}
}

func raceForPlace(t *testing.T, servers []*process, round int) {
	t.Helper()
	g, enter := servers[0].ground, make([]func() error, racers)
	for i := range enter {
		enter[i] = entrant(t, servers[i%len(servers)], round, i)
	}
	had := files(t, g)
	errs := make([]error, racers)
	start := make(chan struct{})
	var group sync.WaitGroup
	for i, try := range enter {
		group.Go(func() {
			<-start
			errs[i] = try()
		})
	}
	close(start)
	group.Wait()
	winner := -1
	for i, err := range errs {
		var refusal *catalog.Error
		switch {
		case err == nil && winner < 0:
			winner = i
		case err == nil:
			t.Errorf("round %d: both %d and %d won", round, winner, i)
		case !errors.As(err, &refusal) || refusal.Code != catalog.AlreadyExists || !strings.Contains(refusal.Message, "overlaps"):
			t.Errorf("lost with %v", err)
		}
	}
	if winner < 0 {
		t.Errorf("round %d: nobody won", round)
	}
	left := slices.DeleteFunc(files(t, g), func(file string) bool { return slices.Contains(had, file) })
	if len(left) != 1 && (winner < 0 || entries[winner%len(entries)].writes) || len(left) > 1 {
		t.Errorf("round %d, won by %d: left %s", round, winner, cmp.Diff(had, files(t, g)))
	}
}

// entry is a way to come by a place, with what it must do before it may race.
type entry struct {
	enters func(t *testing.T, p *process, name, role, location string) func() error
	writes bool // a file, when it wins
}

var entries = []entry{
	{func(_ *testing.T, p *process, name, role, location string) func() error {
		return func() error {
			_, err := p.CreateTable(ctx, cause, withLocation(newTable(name, ""), role, location))
			return err
		}
	}, true},
	{func(t *testing.T, p *process, name, role, location string) func() error {
		home := p.ground.url + "/" + name
		at := p.filed(t, tableText(home, `,"properties":{"k":"v"}`), home, role, location)
		return func() error { _, err := p.register(name, at); return err }
	}, false},
	{func(_ *testing.T, p *process, name, role, location string) func() error {
		asked := withLocation(newTable(name, ""), role, location)
		view := newView(name, asked.Location)
		view.Properties = asked.Properties
		return func() error { _, err := p.CreateView(ctx, cause, view); return err }
	}, true},
	{func(t *testing.T, p *process, name, role, location string) func() error {
		home := p.ground.url + "/" + name
		made := p.view(t, name, home, "k", "v")
		must(t, p.DropView(ctx, cause, id(name)))
		at := p.filed(t, string(made.Metadata), home, role, location)
		return func() error { _, err := p.RegisterView(ctx, cause, id(name), at); return err }
	}, false},
	{func(t *testing.T, p *process, name, role, location string) func() error {
		staged, err := p.StageTable(ctx, newTable(name, ""))
		must(t, err)
		return func() error {
			_, err := p.commit(t, name, assertCreate, births(t, staged)+","+moved(role, location))
			return err
		}
	}, true},
	{func(t *testing.T, p *process, name, role, location string) func() error {
		p.table(t, name, "")
		return func() error { _, err := p.commit(t, name, "", moved(role, location)); return err }
	}, true},
	{func(t *testing.T, p *process, name, role, location string) func() error {
		p.view(t, name, "")
		return func() error { _, err := p.commitView(t, name, "", moved(role, location)); return err }
	}, true},
}

// entrant is one of those who race in a round. The places that they ask for all
// overlap.
func entrant(t *testing.T, p *process, round, i int) func() error {
	t.Helper()
	parent := fmt.Sprintf("%s/%d", p.ground.url, round)
	places := []string{parent + "/place", parent, parent + "/place/child", parent + "#place", parent + "?/place"}
	asks := i / len(entries)
	return entries[i%len(entries)].enters(t, p, fmt.Sprintf("t%d-%d", round, i), roles[(asks+round)%len(roles)], places[(asks+i+round)%len(places)])
}
