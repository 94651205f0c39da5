package catalog

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"puddle/journal"
)

func object(namespace, name string) journal.Identifier {
	return journal.Identifier{Namespace: journal.Namespace{namespace}, Name: name}
}

// hold takes claims that are free, or come free.
func hold(t *testing.T, c *Catalog, claims ...claim) (release func()) {
	t.Helper()
	release, err := c.lock(t.Context(), claims...)
	if err != nil {
		t.Fatal(err)
	}
	return release
}

// Commands on one name wait for each other, and those on a namespace for those
// that make names in it.
func TestLocksWait(t *testing.T) {
	c := New(Options{})
	for what, claims := range map[string][]claim{
		"the same table": {named(object("n", "t"))},
		"one of several": {named(object("m", "a")), named(object("n", "t")), named(object("m", "a"))},
		"the namespace":  wholeNamespace(journal.Namespace{"n"}),
	} {
		release := hold(t, c, naming(object("n", "t"))...)
		order := make(chan string, 2)
		var group sync.WaitGroup
		group.Go(func() {
			give, err := c.lock(t.Context(), claims...)
			if err != nil {
				t.Error(err)
				return
			}
			order <- "second"
			give()
		})
		c.names.await(1)
		order <- "first"
		release()
		group.Wait()
		if first := <-order; first != "first" {
			t.Errorf("%s did not wait", what)
		}
	}
	c.names.checkFree(t)
}

// await waits until so many wait.
func (l *locks) await(waiters int) {
	for l.waiting() < waiters {
		runtime.Gosched()
	}
}

func (l *locks) waiting() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range l.held {
		n += len(one.queue)
	}
	return n
}

func (l *locks) checkFree(t *testing.T) {
	t.Helper()
	if len(l.held) != 0 {
		t.Errorf("%d locks are left", len(l.held))
	}
}

// Nobody waits for commands on other names.
func TestLocksOfOthers(t *testing.T) {
	c := New(Options{})
	defer hold(t, c, naming(object("n", "t"))...)()
	defer hold(t, c, naming(object("n", "u"))...)()
	defer hold(t, c, naming(object("m", "t"))...)()
	hold(t, c, wholeNamespace(journal.Namespace{"l"})...)()
	hold(t, c, wholeNamespace(journal.Namespace{"n", "t"})...)() // a namespace of a table's name
}

// Case 122: who changes what is there waits for its name alone, whatever is done
// to the namespace or waits for it.
func TestCase122_NamespaceKeepsNobody(t *testing.T) {
	c := New(Options{})
	release := hold(t, c, naming(object("n", "a"))...)
	done := make(chan error)
	go func() {
		give, err := c.lock(t.Context(), wholeNamespace(journal.Namespace{"n"})...)
		if err == nil {
			give()
		}
		done <- err
	}()
	c.names.await(1)
	hold(t, c, named(object("n", "b")))()
	release()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Who waits for longer than its request may gives up with nothing held, and keeps
// nobody waiting who came after.
func TestLocksEndWithTheRequest(t *testing.T) {
	c := New(Options{})
	a, b := named(object("n", "a")), inNamespace(journal.Namespace{"n"})
	release := hold(t, c, a, b)
	why := errors.New("the client hung up")
	request, hangUp := context.WithCancelCause(t.Context())
	gaveUp, shared := make(chan error), make(chan error)
	go func() {
		_, err := c.lock(request, append(wholeNamespace(journal.Namespace{"n"}), named(object("a", "first")))...)
		gaveUp <- err
	}()
	c.names.await(1)
	go func() {
		give, err := c.lock(t.Context(), inNamespace(journal.Namespace{"n"}))
		if err == nil {
			give()
		}
		shared <- err
	}()
	c.names.await(2)
	hangUp(why)
	var refused *Error
	if err := <-gaveUp; !errors.As(err, &refused) || refused.Code != Unavailable || !errors.Is(err, why) {
		t.Errorf("gave up with %v", err)
	}
	if err := <-shared; err != nil {
		t.Error(err)
	}
	release()
	c.names.checkFree(t)
}

// What is given in the moment of giving up is not kept.
func TestLocksGivenTooLate(t *testing.T) {
	l := &locks{}
	one := claim{key: "t"}
	if err := l.take(t.Context(), one, nil); err != nil {
		t.Fatal(err)
	}
	late := l.join(one)
	l.give(one)
	<-late.turn
	l.quit(one, late)
	l.checkFree(t)
}

// Waiting is in the order of arrival: a whole claim is not kept waiting for ever
// by shares that come after it.
func TestLocksAreServedInOrder(t *testing.T) {
	l := &locks{}
	share, whole := claim{key: "n", shared: true}, claim{key: "n"}
	if l.join(share) != nil {
		t.Fatal("a free lock is not given")
	}
	line := []*waiter{l.join(whole), l.join(share), l.join(share)}
	served := func() (n int) {
		for _, w := range line {
			select {
			case <-w.turn:
				n++
			default:
			}
		}
		return n
	}
	var got []int
	for _, gives := range []claim{share, whole, share, share} {
		got = append(got, served())
		l.give(gives)
	}
	if want := []int{0, 1, 3, 3}; !slices.Equal(got, want) {
		t.Errorf("served %v, want %v", got, want)
	}
	l.checkFree(t)
}

// Commands that claim many names in any order never wait for each other for ever,
// and nobody holds what another holds wholly.
func TestLocksDoNotDeadlock(t *testing.T) {
	c := New(Options{})
	names := []string{"a", "b", "c", "d"}
	var holders sync.Map
	var group sync.WaitGroup
	for w := range 8 {
		random := rand.New(rand.NewPCG(1, uint64(w)))
		pick := func() journal.Identifier { return object(names[random.IntN(2)], names[random.IntN(4)]) }
		group.Go(func() {
			for range 2_000 {
				claims := wholeNamespace(pick().Namespace)
				if random.IntN(8) != 0 {
					claims = slices.Concat(naming(pick()), naming(pick()), []claim{named(pick())})
				}
				request, hangUp := context.WithCancel(t.Context())
				if random.IntN(4) == 0 {
					go hangUp()
				}
				if give, err := c.lock(request, slices.Clone(claims)...); err == nil {
					holdAlone(t, &holders, claims)
					give()
				}
				hangUp()
			}
		})
	}
	group.Wait()
	c.names.checkFree(t)
}

// holdAlone holds claims for a moment, and checks that nobody else does who must
// not.
func holdAlone(t *testing.T, holders *sync.Map, claims []claim) {
	t.Helper()
	seen := map[string]bool{}
	for _, one := range claims {
		if seen[one.key] {
			continue
		}
		seen[one.key] = true
		kept, _ := holders.LoadOrStore(one.key, &sync.RWMutex{})
		mu := kept.(*sync.RWMutex)
		try, end := mu.TryLock, mu.Unlock
		if one.shared {
			try, end = mu.TryRLock, mu.RUnlock
		}
		if !try() {
			t.Errorf("%s is held by others", one)
			return
		}
		defer end()
	}
	runtime.Gosched()
}
