package archive_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections/archive"
)

// recovered is what a recovery leaves that has met a damaged segment: a journal with what
// was whole before it, and a new incarnation that goes on there, of which one event is to
// come. It answers the object, and the incarnation that was left.
func recovered(t *testing.T, damaged journal.Seq) (w *world, object string, left uuid.UUID) {
	t.Helper()
	story := journaltest.NewStory(lake)
	for n := range 11 {
		story.CreateNamespace(journal.Namespace{uuid.NewSHA1(lake, []byte{byte(n)}).String()}, nil)
	}
	one := formed(t, story.Drafts, "one", 0)
	again := journaltest.NewStory(lake)
	again.Drafts[0].Body = continuing(one[damaged-2].Event)
	again.CreateNamespace(journal.Namespace{"more"}, nil)
	two := formed(t, again.Drafts, "two", 1_000_000)

	old := newWorld(one)
	old.grow(t, len(one))
	if err := old.sealer(old.disk, 4).Seal(ctx); err != nil {
		t.Fatal(err)
	}
	left = one[0].Event.Incarnation
	object = archive.EventsKey(left, damaged)
	old.spoil(t, object, func(data []byte) []byte {
		copy(data[100:], "\x00\x00") // in its header
		return data
	})
	w = newWorld(append(one[:damaged-1:damaged-1], two...))
	w.disk = old.disk
	w.grow(t, len(w.pending)-1)
	return w, object, left
}

// A recovery has left a past of which an object is damaged, wherever that is: it is told
// once, and the incarnation that is current is archived, with either mode.
func TestDamagedPastIsLeft(t *testing.T) {
	for _, mode := range []archive.Mode{archive.Async, archive.Sync} {
		for _, damaged := range []journal.Seq{5, 9} {
			synctest.Test(t, func(t *testing.T) {
				w, object, _ := recovered(t, damaged)
				var told []error
				o := w.options(w.disk)
				o.Mode, o.Failed = mode, func(err error) { told = append(told, err) }
				f := archive.Follow(o)
				for range 2 {
					f.Wake()
					synctest.Wait()
					head := w.all[len(w.all)-1].Event.Position
					if s := f.State(); s.Sealed != head || s.Err != nil || s.Failed != 0 {
						t.Fatalf("%s, %d: %+v, want %s", mode, damaged, s, head)
					}
					if err := f.Wait(ctx, head); err != nil {
						t.Error(err)
					}
					w.grow(t, len(w.pending))
					time.Sleep(archive.Interval)
				}
				if err := f.Close(ctx); err != nil {
					t.Error(err)
				}
				var damage *archive.Damage
				if len(told) != 1 || !errors.Is(told[0], archive.ErrPast) || !errors.As(told[0], &damage) || damage.Object != object {
					t.Errorf("%s: told %v", mode, told)
				}
			})
		}
	}
}

// What a journal does not hold of a past it cannot seal again: an audit says so of the
// damage, and names no hole. What it does hold it can, also where the archive goes on.
func TestDamageOfAPast(t *testing.T) {
	for _, damaged := range []journal.Seq{5, 9} {
		w, object, left := recovered(t, damaged)
		done, wrong := w.audited(t)
		var damage *archive.Damage
		if len(wrong) != 1 || !errors.Is(wrong[0], archive.ErrPast) || !errors.As(wrong[0], &damage) || damage.Object != object || len(done.Holes) > 0 {
			t.Errorf("damaged at %d: %v, holes %v", damaged, wrong, done.Holes)
		}
		w.spoil(t, archive.EventsKey(left, 1), func(data []byte) []byte { return data[1:] })
		done, wrong = w.audited(t)
		if len(wrong) != 2 || errors.Is(wrong[0], archive.ErrPast) || len(done.Holes) != 1 || done.Holes[0].First != 1 {
			t.Fatalf("and at 1: %v, holes %v", wrong, done.Holes)
		}
		if err := archive.Seal(ctx, w.options(w.disk), done.Holes[0], func(context.Context, string) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if done, wrong = w.audited(t); len(wrong) != 1 || len(done.Holes) > 0 {
			t.Errorf("sealed again: %v, holes %v", wrong, done.Holes)
		}
		w.journal, w.all = journal.NewMemory(), w.all[damaged-1:]
		for _, e := range w.all { // the past is not held at all
			journaltest.Append(t, w.journal, []journal.Entry{e})
		}
		if done, wrong = w.audited(t); len(wrong) != 1 || !errors.Is(wrong[0], archive.ErrPast) || len(done.Holes) > 0 {
			t.Errorf("without the past: %v, holes %v", wrong, done.Holes)
		}
	}
}

// An older copy of the journal is known as one, whatever is wrong with a past.
func TestAheadBesideADamagedPast(t *testing.T) {
	w, _, left := recovered(t, 9)
	w.spoil(t, archive.EventsKey(left, 1), func(data []byte) []byte { return data[1:] })
	older := *w
	w.grow(t, 1)
	if err := w.sealer(w.disk, 4).Seal(ctx); err != nil {
		t.Fatal(err)
	}
	older.journal = journal.NewMemory()
	for _, e := range older.all {
		journaltest.Append(t, older.journal, []journal.Entry{e})
	}
	if err := archive.Compare(ctx, w.disk, lake, older.journal); !errors.Is(err, archive.ErrAhead) {
		t.Errorf("%v", err)
	}
}

// How far the archive is never goes back: it is told of the current incarnation alone.
func TestSealedNeverGoesBack(t *testing.T) {
	w, _, _ := recovered(t, 9)
	w.disk = memory.New()
	var told []journal.Position
	s := archive.Telling(w.options(w.disk), 4, func(p journal.Position) { told = append(told, p) })
	for range 2 {
		if err := s.Seal(ctx); err != nil {
			t.Fatal(err)
		}
		w.grow(t, len(w.pending))
	}
	current := w.all[len(w.all)-1].Event.Incarnation
	for i, p := range told {
		if p.Incarnation != current || i > 0 && p.Seq < told[i-1].Seq {
			t.Errorf("told %v", told)
		}
	}
	if len(told) == 0 || told[len(told)-1] != w.all[len(w.all)-1].Event.Position {
		t.Errorf("in the end %v", told)
	}
}
