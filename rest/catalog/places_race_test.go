package catalog_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"puddle/rest/catalog"
)

// Many servers create tables at one location, at its parent and at its child,
// by every property that owns a place: one wins.
func TestCase131_OverlapRaces(t *testing.T) {
	rounds := map[string]int{"memory": 30, "disk": 3}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			g := k.clear(t, t.TempDir())
			t.Cleanup(func() { g.close(t) })
			p := running(t, g)
			p.namespace(t, nil, "n")
			servers := []*catalog.Catalog{p.Catalog, p.another(t, g.files)}
			for round := range rounds[k.name] {
				raceForPlace(t, servers, g.url, round)
			}
			if left := strays(t, g, audit(t, g)); len(left) != 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func raceForPlace(t *testing.T, servers []*catalog.Catalog, url string, round int) {
	t.Helper()
	at := fmt.Sprintf("%s/%d/place", url, round)
	// Each overlaps each other.
	asked := []func(name string) catalog.NewTable{
		func(name string) catalog.NewTable { return newTable(name, at) },
		func(name string) catalog.NewTable { return newTable(name, fmt.Sprintf("%s/%d", url, round)) },
		func(name string) catalog.NewTable { return newTable(name, at+"/child") },
		func(name string) catalog.NewTable { return newTable(name, "", "write.data.path", at+"/child") },
	}
	errs := make([]error, 32)
	start := make(chan struct{})
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			<-start
			_, errs[i] = servers[i%len(servers)].CreateTable(ctx, cause, asked[i%len(asked)](fmt.Sprintf("t%d-%d", round, i)))
		})
	}
	close(start)
	group.Wait()
	won := 0
	for _, err := range errs {
		var refusal *catalog.Error
		switch {
		case err == nil:
			won++
		case !errors.As(err, &refusal) || refusal.Code != catalog.AlreadyExists:
			t.Errorf("lost with %v", err)
		}
	}
	if won != 1 {
		t.Errorf("round %d: %d won", round, won)
	}
}
