package recorder_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/projections/recorder/recordertest"
)

// What step 4 does, and the moments of a change at which a question may be
// answered by the tables, and at which the reader goes on with that answer.
var orders = []struct {
	name    string
	fail    func(step string, done bool) bool
	moments []string
}{
	{"done", nil, []string{"before", "commit", "committed", "after"}},
	{
		"failed", func(step string, done bool) bool { return step == "commit" && !done },
		[]string{"before", "commit", "catch-up", "caught up", "after"},
	},
	{
		"failed but done", func(step string, done bool) bool { return step == "commit" && done },
		[]string{"before", "commit", "committed", "catch-up", "caught up", "after"},
	},
}

// A reader that is late, with an answer of the tables from any moment of a change
// on, never makes later readers see less than they did.
func TestLateReadersChangeNothing(t *testing.T) {
	for what, change := range map[string]func(projections.Object) journal.Draft{
		"commit":  func(o projections.Object) journal.Draft { return recordertest.Commit(lake, o) },
		"repoint": func(o projections.Object) journal.Draft { return recordertest.Repoint(lake, o) },
		"drop":    func(o projections.Object) journal.Draft { return recordertest.Drop(lake, o, false) },
		"rename": func(o projections.Object) journal.Draft {
			return recordertest.Rename(lake, o, journal.Identifier{Namespace: o.Identifier.Namespace, Name: "new"})
		},
	} {
		for _, order := range orders {
			for i, asks := range order.moments[:3] {
				if asks == "catch-up" {
					continue // nobody asks then: the gate is shut
				}
				for _, goesOn := range order.moments[i+1:] {
					t.Run(fmt.Sprintf("%s %s, asked %s, gone on %s", what, order.name, asks, goesOn), func(t *testing.T) {
						late := newLateReader(t, asks, goesOn, order.fail)
						late.change(change)
						if !slices.Equal(late.passed, order.moments) {
							t.Errorf("the moments were %q", late.passed)
						}
						if o, err := late.Reader(lake).Object(ctx, late.names[0]); err == nil && late.hits(o) != 1 {
							t.Error("the map is out of use")
						}
					})
				}
			}
		}
	}
}

// lateReader is a reader who is held once the tables have answered.
type lateReader struct {
	*stage
	t            *testing.T
	asks, goesOn string
	fail         func(step string, done bool) bool
	names        []journal.Identifier

	began         atomic.Bool // the hook is heeded
	hold          atomic.Bool // the next question
	arrived, goOn chan struct{}
	done          chan error
	passed        []string
}

// newLateReader has one table, which nobody has asked the recorder for.
func newLateReader(t *testing.T, asks, goesOn string, fail func(string, bool) bool) *lateReader {
	l := &lateReader{
		t: t, asks: asks, goesOn: goesOn, fail: fail,
		arrived: make(chan struct{}), goOn: make(chan struct{}), done: make(chan error, 1),
	}
	j, store := journal.NewMemory(), projections.NewMemory()
	before := newStageOver(t, j, store, nil, recorder.Options{})
	for _, d := range []journal.Draft{recordertest.Namespace(lake, "a"), recordertest.Create(lake, "a", "t")} {
		if _, err := before.Record(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	closeIt(t, before)
	l.stage = newStageOver(t, j, store, l.hook, recorder.Options{})
	t.Cleanup(func() { closeIt(t, l.stage) })
	in := journal.Namespace{"a"}
	l.names = []journal.Identifier{{Namespace: in, Name: "t"}, {Namespace: in, Name: "new"}}
	return l
}

func (l *lateReader) hook(step string, done bool) error {
	if step == "object" {
		if done && l.hold.CompareAndSwap(true, false) {
			close(l.arrived)
			<-l.goOn
		}
		return nil
	}
	if !l.began.Load() {
		return nil
	}
	switch {
	case step == "commit" && !done:
		l.moment("commit")
	case step == "commit":
		l.moment("committed")
	case step == "catch-up" && !done:
		l.moment("catch-up")
	case step == "catch-up":
		l.moment("caught up")
	}
	if l.fail != nil && l.fail(step, done) {
		return errInjected
	}
	return nil
}

// moment does what is to be done at it. All readers but the late one then say
// what the tables say, unless they have to wait.
func (l *lateReader) moment(name string) {
	if slices.Contains(l.passed, name) {
		return // each warehouse catches up
	}
	l.passed = append(l.passed, name)
	if name == l.asks {
		l.hold.Store(true)
		go func() {
			_, err := l.Reader(lake).Object(ctx, l.names[0])
			l.done <- err
		}()
		select {
		case <-l.arrived:
		case err := <-l.done: // no such table: nothing to keep
			l.hold.Store(false)
			l.done <- err
		}
	}
	if name == l.goesOn {
		close(l.goOn)
		<-l.done
	}
	if name == "catch-up" || name == "caught up" {
		return
	}
	for range 2 {
		checkObjects(l.t, l.stage, l.names)
	}
}

func (l *lateReader) change(draftOf func(projections.Object) journal.Draft) {
	o, err := l.store.Store.Warehouse(lake).Object(ctx, l.names[0])
	if err != nil {
		l.t.Fatal(err)
	}
	if l.asks == "before" {
		l.moment("before")
	} else {
		l.passed = append(l.passed, "before")
	}
	l.began.Store(true)
	if _, err := l.Record(ctx, draftOf(o)); err != nil {
		l.t.Fatal(err)
	}
	// The gate is shut until the tables have caught up.
	if _, err := l.Reader(lake).Children(ctx, nil, projections.Page{}); err != nil {
		l.t.Fatal(err)
	}
	l.moment("after")
}

// hits is how many of one more question the map answers.
func (l *lateReader) hits(o projections.Object) uint64 {
	before := l.HotStats().Hits
	_, _ = l.Reader(lake).Object(ctx, o.Identifier)
	return l.HotStats().Hits - before
}
