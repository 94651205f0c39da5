package archive_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections/archive"
)

// followed is a world with a follower, whose store may be made to fail or to hang.
type followed struct {
	*world
	*archive.Follower
	fault atomic.Pointer[faulty.Fault] // of creates
	seals atomic.Int64                 // creates of events that were let through
	told  chan error                   // of failures
}

// failures are those that were told since the last time.
func (f *followed) failures() (all []error) {
	for {
		select {
		case err := <-f.told:
			all = append(all, err)
		default:
			return all
		}
	}
}

func follow(t *testing.T, mode archive.Mode) *followed {
	t.Helper()
	story := journaltest.NewStory(lake)
	for n := range 40 {
		story.CreateNamespace(journal.Namespace{uuid.NewSHA1(lake, []byte{byte(n)}).String()}, nil)
	}
	f := &followed{world: newWorld(journaltest.Entries(t, story.Drafts, journaltest.Start))}
	f.fault.Store(&faulty.Fault{})
	o := f.options(faulty.New(f.disk, func(op faulty.Op, _ string) faulty.Fault {
		if op != faulty.Create {
			return faulty.Fault{}
		}
		if fault := f.fault.Load(); fault.Err != nil {
			return *fault
		}
		f.seals.Add(1)
		return faulty.Fault{}
	}))
	f.told = make(chan error, 100)
	o.Mode, o.Failed = mode, func(err error) { f.told <- err }
	f.Follower = archive.Follow(o)
	return f
}

// commit grows the journal by n events and says so.
func (f *followed) commit(t *testing.T, n int) journal.Position {
	t.Helper()
	f.grow(t, n)
	f.Wake()
	return f.all[len(f.all)-1].Event.Position
}

func (f *followed) want(t *testing.T, sealed journal.Position, seals int64) {
	t.Helper()
	synctest.Wait()
	if s := f.State(); s.Sealed != sealed || f.seals.Load() != seals {
		t.Fatalf("sealed to %s by %d, want %s by %d", s.Sealed, f.seals.Load(), sealed, seals)
	}
}

func TestAsyncSealsOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, archive.Async)
		f.want(t, journal.Position{}, 0)
		first := f.commit(t, 1)
		f.want(t, first, 1)
		for range 10 {
			f.commit(t, 1)
		}
		time.Sleep(archive.Interval - time.Nanosecond)
		last := f.commit(t, 1)
		f.want(t, first, 1)
		time.Sleep(time.Nanosecond)
		f.want(t, last, 2)
		time.Sleep(time.Hour)
		if s := f.State(); s.Err != nil || s.Failed != 0 {
			t.Errorf("caught up: %+v", s)
		}
		last = f.commit(t, 1)
		if err := f.Close(ctx); err != nil {
			t.Fatal(err)
		}
		f.want(t, last, 3)
		f.wantAll(t)
	})
}

// What waits is answered when its event is durable in the archive, not before; those
// that come meanwhile share the next segment.
func TestSyncIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, archive.Sync)
		var answered atomic.Int64
		for n := range 5 {
			p := f.commit(t, 2)
			go func() {
				if err := f.Wait(ctx, p); err != nil {
					t.Errorf("wait for %s: %v", p, err)
				}
				answered.Add(1)
			}()
			f.want(t, p, int64(n+1))
		}
		synctest.Wait()
		if answered.Load() != 5 {
			t.Errorf("%d answered", answered.Load())
		}
		if err := f.Close(ctx); err != nil {
			t.Fatal(err)
		}
		f.wantAll(t)
	})
}

// A store that fails delays, is told each time, and those who wait go on waiting: the
// pause is 1 s, then 2, 4 and, in sync, 5.
func TestFailingStoreOnlyDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, archive.Sync)
		f.fault.Store(&faulty.Fault{Err: errDisk})
		p := f.commit(t, 3)
		short, cancel := context.WithTimeout(ctx, 9*time.Second)
		defer cancel()
		if err := f.Wait(short, p); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("wait: %v", err)
		}
		told := f.failures()
		if s := f.State(); s.Failed != 4 || !errors.Is(s.Err, errDisk) || len(told) != 4 || s.Final() {
			t.Errorf("while it fails: %+v, told %v", s, told)
		}
		f.fault.Store(&faulty.Fault{})
		if err := f.Wait(ctx, p); err != nil {
			t.Error(err)
		}
		if s := f.State(); s.Err != nil || s.Failed != 4 {
			t.Errorf("afterwards: %+v", s)
		}
		if err := f.Close(ctx); err != nil {
			t.Fatal(err)
		}
		f.wantAll(t)
	})
}

// Case 162: a second writer stops the follower. It is told once, and who waits is.
func TestSecondWriterStopsTheFollower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, archive.Sync)
		f.want(t, f.commit(t, 1), 1)
		story := journaltest.NewStory(lake)
		story.CreateNamespace(journal.Namespace{"theirs"}, nil)
		theirs := newWorld(journaltest.Entries(t, story.Drafts, journaltest.Start))
		theirs.grow(t, 2)
		if err := theirs.sealer(f.disk, 500).Seal(ctx); err != nil {
			t.Fatal(err)
		}
		p := f.commit(t, 1)
		for range 2 {
			if err := f.Wait(ctx, p); !errors.Is(err, archive.ErrSecondWriter) {
				t.Errorf("wait: %v", err)
			}
		}
		f.Wake()
		time.Sleep(time.Hour)
		told := f.failures()
		if s := f.State(); len(told) != 1 || !s.Final() || s.Failed != 1 {
			t.Errorf("told %v; %+v", told, s)
		}
		if err := f.Close(ctx); err != nil {
			t.Error(err)
		}
	})
}

// Close gives up when its context ends, and nobody waits for ever.
func TestHangingStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, release := newWorld(nil), make(chan struct{})
		o := w.options(faulty.New(w.disk, func(faulty.Op, string) faulty.Fault {
			<-release
			return faulty.Fault{}
		}))
		o.Mode = archive.Async
		story := journaltest.NewStory(lake)
		w.pending = journaltest.Entries(t, story.Drafts, journaltest.Start)
		w.grow(t, 1)
		f := archive.Follow(o)
		for range 3 {
			f.Wake()
			synctest.Wait()
		}
		waited := make(chan error)
		go func() { waited <- f.Wait(ctx, w.all[0].Event.Position) }()
		short, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		if err := f.Close(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close: %v", err)
		}
		if err := <-waited; !errors.Is(err, archive.ErrClosed) {
			t.Errorf("Wait: %v", err)
		}
		close(release)
	})
}

func TestUnbornJournalHasNoArchive(t *testing.T) {
	w := newWorld(nil)
	o := w.options(w.disk)
	o.Mode = archive.Async
	f := archive.Follow(o)
	f.Wake()
	if err := f.Close(ctx); err != nil || w.names(t) != "" {
		t.Errorf("%v: %s", err, w.names(t))
	}
}
