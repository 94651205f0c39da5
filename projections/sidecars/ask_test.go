package sidecars

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
)

// object is a sidecar that is there.
func (w *world) object(t *testing.T, key string) Object {
	t.Helper()
	data, err := w.files.Get(ctx, key, maxObject)
	must(t, err)
	o, err := Decode(key, data)
	must(t, err)
	return o
}

// Case 33: the file of a commit of which nobody knows whether it landed is listed
// before the request is answered, and no longer than its base is the current one.
func TestCase33_UnconfirmedFiles(t *testing.T) {
	bubble(t, busy(), func(t *testing.T, w *world) {
		key := w.orderKey()
		w.grow(t, 3)
		f := Follow(w.options(w.files))
		synctest.Wait()
		w.grow(t, 1) // not written yet
		unknown := w.entries[0].Event
		move := unknown.Moves()[0]
		must(t, f.Unconfirmed(ctx, unknown.ID, move))
		o := w.object(t, key)
		want := []Unconfirmed{{move.To.Pointer.MetadataLocation, unknown.ID}}
		if o.MetadataLocation != move.From.Pointer.MetadataLocation || !slices.Equal(o.Unconfirmed, want) || o.Seq != unknown.Seq-1 {
			t.Errorf("%+v", o)
		}

		birth := move
		birth.From = nil
		stale := move
		stale.From = &journal.From{Identifier: move.From.Identifier, Pointer: move.To.Pointer}
		stale.From.Pointer.MetadataLocation += "x"
		rename := move
		rename.To = &journal.To{Identifier: orders, Pointer: move.From.Pointer}
		drop := move
		drop.To = nil
		must(t, f.Unconfirmed(ctx, unknown.ID, birth, stale, rename, drop))
		if o := w.object(t, key); !slices.Equal(o.Unconfirmed, want) {
			t.Errorf("%+v", o)
		}
		must(t, f.Close(ctx))

		w.settled(t, w.files) // a restart
		if o := w.object(t, key); !slices.Equal(o.Unconfirmed, want) {
			t.Errorf("after a restart: %+v", o)
		}
		must(t, w.files.Delete(ctx, cursorKey))
		w.settled(t, w.files)
		if o := w.object(t, key); !slices.Equal(o.Unconfirmed, want) {
			t.Errorf("after a restart without a cursor: %+v", o)
		}
		w.grow(t, 1) // it had landed
		w.settled(t, w.files)
		w.wantFold(t)
	})
}

// Names and states change, and the file is listed still: it was made from the
// current one.
func TestUnconfirmedFilesStayWhileThePointerDoes(t *testing.T) {
	s := busy()
	renamed := journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: "renamed"}
	s.Rename(orders, renamed)
	table := s.Objects[renamed.Key()].UUID
	s.Drop(renamed, false)
	s.Undrop(table, renamed)
	s.Commit(renamed)
	w := newWorld(t, memory.New(), s)
	w.grow(t, 32)
	w.settled(t, w.files)
	o := w.object(t, Key(table))
	o.Unconfirmed = []Unconfirmed{{"s3://lake/wh/x", uuid.Nil}}
	o.Abandoned = []string{"s3://lake/wh/y"}
	data, err := Encode(o)
	must(t, err)
	must(t, w.files.Put(ctx, Key(table), data))
	for range 3 {
		w.grow(t, 1)
		w.settled(t, w.files)
		if now := w.object(t, Key(table)); len(now.Unconfirmed) != 1 || len(now.Abandoned) != 1 || now.Seq == o.Seq {
			t.Errorf("%+v", now)
		}
	}
	w.grow(t, 1)
	w.settled(t, w.files)
	w.wantFold(t)
}

// What cannot be written at once is tried again.
func TestUnconfirmedFilesOverFaults(t *testing.T) {
	bubble(t, busy(), func(t *testing.T, w *world) {
		key := w.orderKey()
		w.grow(t, 3)
		store := newPuts(w)
		f := Follow(w.options(store))
		synctest.Wait()
		store.fail(faulty.Before(errInjected))
		unknown := w.entries[0].Event
		if err := f.Unconfirmed(ctx, unknown.ID, unknown.Moves()...); !errors.Is(err, errInjected) {
			t.Errorf("Unconfirmed: %v", err)
		}
		store.fail(faulty.Fault{})
		time.Sleep(time.Minute)
		synctest.Wait()
		if o := w.object(t, key); len(o.Unconfirmed) != 1 {
			t.Errorf("%+v", o)
		}
		must(t, f.Close(ctx))
		if err := f.Unconfirmed(ctx, unknown.ID, unknown.Moves()...); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

// Many unknown outcomes of one table: the newest are listed.
func TestListsAreBounded(t *testing.T) {
	w := newWorld(t, memory.New(), busy())
	w.grow(t, 3)
	now := w.working(w.files)
	must(t, now.round(ctx, func() {}).err)
	move := w.entries[0].Event.Moves()[0]
	var last uuid.UUID
	for range 2 * maxListed {
		last = uuid.New()
		must(t, now.doubt(ctx, last, move))
	}
	if o := w.object(t, Key(move.UUID)); len(o.Unconfirmed) != maxListed || o.Unconfirmed[maxListed-1].EventID != last {
		t.Errorf("%d are listed", len(o.Unconfirmed))
	}
}

// Case 50: Forget deletes, also what was to be written, and nothing brings it back;
// an error means that it is there still.
func TestCase50_Forget(t *testing.T) {
	s := busy()
	table := s.Objects[orders.Key()].UUID
	s.Drop(orders, true)
	s.Purge(table)
	bubble(t, s, func(t *testing.T, w *world) {
		w.grow(t, 32)
		store := newPuts(w)
		f := Follow(w.options(store))
		synctest.Wait()
		store.fail(faulty.Before(errInjected))
		w.grow(t, 1) // the drop, which cannot be written
		f.Wake()
		time.Sleep(time.Second)
		must(t, f.Forget(ctx, table))
		must(t, f.Forget(ctx, table))
		store.fail(faulty.Fault{})
		time.Sleep(time.Hour)
		synctest.Wait()
		if _, there := stored(t, w.files)[Key(table)]; there {
			t.Error("it is there again")
		}
		w.grow(t, 1) // table-purged
		f.Wake()
		must(t, f.Close(ctx))
		w.wantFold(t)
	})
	w := newWorld(t, memory.New(), busy())
	w.grow(t, 3)
	w.settled(t, w.files)
	f := Follow(w.options(hook(w.files, func(_ int, op faulty.Op, _ string) faulty.Fault {
		if op == faulty.Delete {
			return faulty.Before(errInjected)
		}
		return faulty.Fault{}
	})))
	if err := f.Forget(ctx, table); !errors.Is(err, errInjected) {
		t.Errorf("Forget: %v", err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := f.Forget(over, table); !errors.Is(err, context.Canceled) {
		t.Errorf("Forget: %v", err)
	}
	must(t, f.Close(ctx))
}

// Case 127: the file that is named is the one of the sidecar, not of the journal.
func TestNamed(t *testing.T) {
	bubble(t, busy(), func(t *testing.T, w *world) {
		f := Follow(w.options(w.files))
		table := w.entries[2].Event.Moves()[0].UUID
		if at, err := Named(ctx, w.files, table); at != "" || err != nil {
			t.Errorf("before its birth: %q, %v", at, err)
		}
		w.grow(t, 3)
		synctest.Wait()
		f.Wake()
		time.Sleep(time.Second)
		synctest.Wait()
		first := journaltest.Events(t, w.lineage(), 2)[0].Moves()[0].To.Pointer.MetadataLocation
		w.grow(t, 3)
		if at, err := Named(ctx, w.files, table); at != first || err != nil {
			t.Errorf("%q, %v; want %q", at, err, first)
		}
		must(t, f.Close(ctx))
		if at, err := Named(ctx, w.files, table); at == first || at == "" || err != nil {
			t.Errorf("%q, %v", at, err)
		}
		must(t, w.files.Put(ctx, Key(table), []byte("{")))
		if at, err := Named(ctx, w.files, table); at != "" || !errors.Is(err, ErrDamaged) {
			t.Errorf("%q, %v", at, err)
		}
	})
}

// A replica that has no follower lists what nobody knows itself: once the sidecar names
// the file that the change is from, and beside what others have listed. Where it never
// does, it says so.
func TestCase33_UnconfirmedElsewhere(t *testing.T) {
	bubble(t, busy(), func(t *testing.T, w *world) {
		key := w.orderKey()
		w.grow(t, 3)
		o := w.options(w.files)
		o.Others = true
		f := Follow(o)
		synctest.Wait()
		w.grow(t, 1)
		unknown := w.entries[0].Event
		move := unknown.Moves()[0]
		done := make(chan error, 1)
		go func() { done <- AddUnconfirmed(ctx, w.files, unknown.ID, move) }()
		synctest.Wait() // the sidecar names the file before
		f.Wake()
		must(t, <-done)
		other := move
		to := *move.To
		to.Pointer.MetadataLocation += ".other"
		other.To = &to
		must(t, f.Unconfirmed(ctx, lake, other))
		want := []Unconfirmed{{move.To.Pointer.MetadataLocation, unknown.ID}, {other.To.Pointer.MetadataLocation, lake}}
		if o := w.object(t, key); !slices.Equal(o.Unconfirmed, want) || o.Seq != unknown.Seq-1 {
			t.Errorf("%+v", o)
		}
		birth := move
		birth.From = nil
		must(t, AddUnconfirmed(ctx, w.files, unknown.ID, birth))
		w.grow(t, 1)
		f.Wake()
		time.Sleep(Interval)
		synctest.Wait()
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if err := AddUnconfirmed(short, w.files, unknown.ID, move); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it has moved on: %v", err)
		}
		if o := w.object(t, key); o.Unconfirmed != nil || o.Seq != unknown.Seq {
			t.Errorf("%+v", o)
		}
		must(t, f.Close(ctx))
	})
}
