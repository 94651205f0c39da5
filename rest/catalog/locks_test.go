package catalog

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"puddle/journal"
)

func object(namespace, name string) journal.Identifier {
	return journal.Identifier{Namespace: journal.Namespace{namespace}, Name: name}
}

// Commands on one name wait for each other, and those on a namespace for those on
// the objects in it.
func TestLocksWait(t *testing.T) {
	c := New(Options{})
	for what, take := range map[string]func() func(){
		"the same table": func() func() { return c.lockObjects(object("n", "t")) },
		"one of several": func() func() { return c.lockObjects(object("m", "a"), object("n", "t"), object("m", "a")) },
		"the namespace":  func() func() { return c.lockNamespace(journal.Namespace{"n"}) },
	} {
		release := c.lockObjects(object("n", "t"))
		order := make(chan string, 2)
		var group sync.WaitGroup
		group.Go(func() {
			give := take()
			order <- "second"
			give()
		})
		for !c.names.wanted() {
			runtime.Gosched()
		}
		order <- "first"
		release()
		group.Wait()
		if first := <-order; first != "first" {
			t.Errorf("%s did not wait", what)
		}
	}
	if len(c.names.held) != 0 {
		t.Errorf("%d locks are left", len(c.names.held))
	}
}

// wanted tells whether a name is claimed twice.
func (l *locks) wanted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range l.held {
		if one.users > 1 {
			return true
		}
	}
	return false
}

// Nobody waits for commands on other names.
func TestLocksOfOthers(t *testing.T) {
	c := New(Options{})
	defer c.lockObjects(object("n", "t"))()
	defer c.lockObjects(object("n", "u"))()
	defer c.lockObjects(object("m", "t"))()
	c.lockNamespace(journal.Namespace{"l"})()
	c.lockNamespace(journal.Namespace{"n", "t"})() // a namespace of a table's name
}

// Commands that claim many names in any order never wait for each other for ever.
func TestLocksDoNotDeadlock(t *testing.T) {
	c := New(Options{})
	names := []string{"a", "b", "c", "d"}
	var group sync.WaitGroup
	for w := range 8 {
		random := rand.New(rand.NewPCG(1, uint64(w)))
		pick := func() journal.Identifier { return object(names[random.IntN(2)], names[random.IntN(4)]) }
		group.Go(func() {
			for range 2_000 {
				if random.IntN(8) == 0 {
					c.lockNamespace(pick().Namespace)()
				} else {
					c.lockObjects(pick(), pick(), pick())()
				}
			}
		})
	}
	group.Wait()
	if len(c.names.held) != 0 {
		t.Errorf("%d locks are left", len(c.names.held))
	}
}
