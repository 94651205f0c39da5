package catalog_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"puddle/fixtures/linear"
	"puddle/rest/catalog"
	"puddle/rest/catalog/catalogtest"
)

// observed is what clients saw over the lives of a server.
type observed struct {
	begun time.Time

	mu   sync.Mutex
	ops  []linear.Op
	last int64 // snapshot that a client made up
}

func (o *observed) now() time.Duration { return time.Since(o.begun) }

func (o *observed) add(op linear.Op) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ops = append(o.ops, op)
}

func (o *observed) snapshot() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last++
	return o.last
}

// outlived ends what nobody was told: the life in which it might have been done
// is over.
func (o *observed) outlived() {
	for i := range o.ops {
		if o.ops[i].Return == 0 {
			o.ops[i].Return = o.now()
		}
	}
}

// observer is one client of one life.
type observer struct {
	*observed
	*process
	faults *catalogtest.Steps
	number int
}

func (c observer) load(t *testing.T, name string) (table catalog.Table, seen int64, ok bool) {
	op := linear.Op{Table: name, Client: c.number, Call: c.now(), Load: true}
	table, err := c.LoadTable(ctx, id(name))
	op.Return = c.now()
	if err != nil || c.faults.Dead() {
		return table, 0, false
	}
	op.Seen = max(0, read(t, table.Metadata).Current)
	c.add(op)
	return table, op.Seen, true
}

// append commits on what was loaded. Who hears nothing, or that nobody knows, has
// an op without an end; who is sent away has none.
func (c observer) append(t *testing.T, name string, loaded catalog.Table, seen int64) {
	op := linear.Op{Table: name, Client: c.number, Seen: seen, Sets: c.snapshot(), Outcome: linear.Unknown}
	requirements, updates := appendTo(t, loaded, "main", op.Sets)
	asked := change(t, name, requirements, updates)
	op.Call = c.now()
	_, err := commitOver(t, c.Catalog, cause, asked)
	back := c.now()
	switch {
	case c.faults.Dead(), hasCode(err, catalog.OutcomeUnknown):
	case err == nil:
		op.Outcome, op.Return = linear.Done, back
	case hasCode(err, catalog.CommitFailed):
		op.Outcome, op.Return = linear.Refused, back
	case hasCode(err, catalog.Unavailable):
		return
	default:
		t.Errorf("commit: %v", err)
	}
	c.add(op)
}

// Many clients load and commit over many lives of a server, in each of which one
// step fails or is the last. What they saw of each table has happened in some
// order, one after another.
func TestLinearizable(t *testing.T) {
	const clients, actions = 6, 5
	ways := []fault{before, after, lost, killedBefore, killedAfter}
	lives := map[string]int{"memory": 25, "disk": 4}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			g := k.clear(t, t.TempDir())
			t.Cleanup(func() { g.close(t) })
			random := rand.New(rand.NewPCG(1, 2))
			p := g.start(t, nil)
			p.namespace(t, nil, "n")
			p.table(t, "t", "")
			p.table(t, "u", "")
			o, outcomes := &observed{begun: time.Now()}, map[linear.Outcome]int{}
			for life := range lives[k.name] {
				p.stop(t)
				g.reopen(t, false)
				f := &catalogtest.Steps{At: 1 + random.IntN(40), How: ways[life%len(ways)]}
				p = g.start(t, f)
				var group sync.WaitGroup
				for i := range clients {
					c, random := observer{o, p, f, i}, rand.New(rand.NewPCG(uint64(life), uint64(i)))
					group.Go(func() { c.act(t, random, actions) })
				}
				group.Wait()
				o.outlived()
			}
			p.stop(t)
			g.reopen(t, false)
			p = g.start(t, nil)
			for _, name := range []string{"t", "u"} {
				if _, _, ok := (observer{o, p, nil, 0}).load(t, name); !ok {
					t.Errorf("%s does not load at the end", name)
				}
			}
			p.stop(t)
			for _, op := range o.ops {
				outcomes[op.Outcome]++
			}
			if outcomes[linear.Unknown] == 0 || outcomes[linear.Refused] == 0 {
				t.Errorf("outcomes: %v", outcomes)
			}
			if err := linear.Check(o.ops, time.Minute); err != nil {
				t.Error(err)
			}
			t.Log(fmt.Sprint(len(o.ops), " requests, by outcome ", outcomes))
		})
	}
}

func (c observer) act(t *testing.T, random *rand.Rand, actions int) {
	for range actions {
		name := []string{"t", "t", "u"}[random.IntN(3)]
		loaded, seen, ok := c.load(t, name)
		if ok && random.IntN(5) > 0 {
			c.append(t, name, loaded, seen)
		}
	}
}
