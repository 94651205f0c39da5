package main

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	store "puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections/archive"
)

// trailing is a node over a journal in memory that follows it, here, into a store that may
// be made to hang or to fail.
type trailing struct {
	*node
	t     *testing.T
	w     *warehouse
	story *journaltest.Story
	chain journal.Chain
	fault func(faulty.Op) faulty.Fault
	end   chan struct{} // closed when the fault is over
}

// bubbleClock is the clock of a bubble, which knows of no uptime.
type bubbleClock struct{}

func (bubbleClock) Read() journal.Instant { return journal.At(time.Now().UTC()) }

func trail(t *testing.T) *trailing {
	t.Helper()
	id := uuid.New()
	f := &trailing{
		t: t, end: make(chan struct{}), story: journaltest.NewStory(id), chain: journal.NewChain(id, uuid.New(), 0),
		node: bareNode(config.Config{}, zerolog.Nop(), serving, bubbleClock{}),
		w:    &warehouse{Warehouse: config.Warehouse{Name: "lake"}, id: id, follows: true},
	}
	f.journal, f.config.Journal.Archive = journal.NewMemory(), string(archive.Async)
	disk := faulty.New(memory.New(), func(op faulty.Op, _ string) faulty.Fault {
		if f.fault == nil {
			return faulty.Fault{}
		}
		return f.fault(op)
	})
	f.w.roots = store.Roots{{URL: "memory", Store: disk}}
	f.w.noSecondWriter()
	return f
}

// sealedOnce has sealed once, outside of any bubble: what packs segments makes its channel
// when it is first used, and in a bubble nobody else could use it any more.
func sealedOnce(t *testing.T) {
	t.Helper()
	f := trail(t)
	f.record()
	sealing := archive.Follow(archive.Options{
		ID: f.w.id, Store: f.w.roots[0].Store, From: f.journal, Mode: archive.Sync, Failed: func(err error) { t.Error(err) },
	})
	if err := sealing.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// clears has the store do what it is asked, from now on.
func (f *trailing) clears() {
	f.fault = nil
	close(f.end)
	f.end = make(chan struct{})
}

// follow begins to follow here, until the test ends; a store that hangs goes on then.
func (f *trailing) follow() {
	term := f.begin(f.w, nil)
	f.t.Cleanup(func() {
		f.clears()
		if err := term.stop(); err != nil {
			f.t.Error(err)
		}
	})
}

// record appends an event, now, and wakes who follows.
func (f *trailing) record() {
	f.t.Helper()
	if f.chain.Head.Seq > 0 {
		f.story.CreateNamespace(journal.Namespace{fmt.Sprint("n", f.chain.Head.Seq)}, nil)
	}
	e, next, err := f.chain.Next(f.story.Drafts[f.chain.Head.Seq], f.clock.Read())
	if err == nil {
		err = f.journal.Append(f.t.Context(), e)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	f.chain = next
	if t := f.w.term.Load(); t != nil {
		t.wake()
	}
}

// since is when the oldest event came that each of those who follow lacks.
func (f *trailing) since() map[string]time.Time {
	all := map[string]time.Time{}
	if a := f.archived(f.w)(); a.Seq < f.chain.Head.Seq {
		all["archive"] = a.Since
	}
	if a := f.anchored(f.w)(); a.Seq < f.chain.Head.Seq {
		all["anchor"] = a.Since
	}
	if s := f.sidecarsNow(f.w)(); s.Behind > 0 {
		all["sidecars"] = s.Oldest
	}
	return all
}

// want looks again and again for three minutes whether all lack the event of a moment. That
// is what PuddleArchiveIsLate asks for, more than 5 s at each look for a minute, and what
// status warns of, 60 s at any.
func (f *trailing) want(came time.Time) {
	f.t.Helper()
	for began := time.Now(); time.Since(began) < 3*time.Minute; {
		time.Sleep(1100 * time.Millisecond)
		synctest.Wait()
		lack := f.since()
		for who, since := range lack {
			if !since.Equal(came) {
				f.t.Fatalf("%s after %s: it lacks what came at %s, want %s", who, time.Since(began), since, came)
			}
		}
		if len(lack) != 3 {
			f.t.Fatalf("after %s: only %v lack something", time.Since(began), lack)
		}
	}
}

// caughtUp wants nothing to be lacked.
func (f *trailing) caughtUp() {
	f.t.Helper()
	time.Sleep(3 * time.Minute)
	synctest.Wait()
	if lack := f.since(); len(lack) != 0 {
		f.t.Fatalf("at the end: %v", lack)
	}
}

// weathers are what a store does; each ends when it is told.
func weathers(end chan struct{}) map[string]func(faulty.Op) faulty.Fault {
	refused := faulty.Before(errors.New("connection refused"))
	return map[string]func(faulty.Op) faulty.Fault{
		"hangs": func(faulty.Op) faulty.Fault {
			<-end
			return faulty.Fault{}
		},
		"refuses": func(faulty.Op) faulty.Fault { return refused },
		"hangs, and refuses then": func(faulty.Op) faulty.Fault {
			select {
			case <-end:
				return faulty.Fault{}
			case <-time.After(20 * time.Second):
				return refused
			}
		},
	}
}

// Who follows a journal lacks an event from when it came until it is written: whether an
// attempt is under way, has failed, or waits.
func TestLagIsTheAgeOfWhatIsLacked(t *testing.T) {
	sealedOnce(t)
	for name := range weathers(nil) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := trail(t)
				f.record()
				f.follow()
				f.caughtUp()
				f.fault = weathers(f.end)[name]
				came := f.clock.Read().Wall
				f.record()
				f.want(came)
				f.record() // a later one is not the oldest
				f.want(came)
				if a := f.archived(f.w)(); name == "hangs" && (a.Err != nil || a.Failed != 0) {
					t.Errorf("nothing has failed: %+v", a)
				}
				f.clears()
				f.caughtUp()
			})
		})
	}
}

// Before it has come to look at a store, who follows has waited from when it began.
func TestLagOfAStart(t *testing.T) {
	sealedOnce(t)
	for name := range weathers(nil) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := trail(t)
				f.record()
				time.Sleep(time.Hour)
				f.fault = weathers(f.end)[name]
				began := f.clock.Read().Wall
				f.follow()
				f.want(began)
				f.clears()
				f.caughtUp()
			})
		})
	}
}

// What another replica lacks is as old where its traces cannot be read any more.
func TestLagOfAnotherReplica(t *testing.T) {
	sealedOnce(t)
	synctest.Test(t, func(t *testing.T) {
		f := trail(t)
		f.record()
		term := f.begin(f.w, nil)
		f.caughtUp()
		if err := term.stop(); err != nil { // and nobody else follows
			t.Fatal(err)
		}
		f.w.term.Store(nil)
		f.since()
		came := f.clock.Read().Wall
		f.record()
		f.want(came)
		f.fault = func(faulty.Op) faulty.Fault { return faulty.Before(errors.New("connection refused")) }
		f.want(came)
		if a := f.archived(f.w)(); a.Err == nil || a.Seq != 1 {
			t.Errorf("what cannot be read: %+v", a)
		}
	})
}

// unreadable is a journal that cannot be read any more.
type unreadable struct{ journal.Histories }

func (unreadable) Incarnations(context.Context, uuid.UUID) ([]journal.Incarnation, error) {
	return nil, errors.New("the database is away")
}

// What the journal has said once of an event does not become unknown.
func TestLagIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, l := trail(t), &lacking{}
		f.record()
		if since := l.from(f.journal, f.w.id, 1); !since.IsZero() {
			t.Errorf("nothing is lacked since %s", since)
		}
		came := f.clock.Read().Wall
		f.record()
		time.Sleep(time.Hour)
		for _, j := range []journal.Histories{f.journal, unreadable{f.journal}} {
			if since := l.from(j, f.w.id, 1); !since.Equal(came) {
				t.Errorf("since %s, want %s", since, came)
			}
		}
		if since := l.from(unreadable{f.journal}, f.w.id, 2); !since.IsZero() {
			t.Errorf("of the next one nobody knows, since %s", since)
		}
	})
}
