package archive_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/projections/archive"
)

// audited looks through the archive, and answers what is wrong in it.
func (w *world) audited(t *testing.T) (done archive.Audited, wrong []error) {
	t.Helper()
	done, err := archive.Audit(ctx, w.disk, lake, w.journal, func(err error) { wrong = append(wrong, err) })
	if err != nil {
		t.Fatal(err)
	}
	return done, wrong
}

// copies are the objects of a store, as text.
func copies(t *testing.T, disk *memory.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for e, err := range disk.List(ctx, archive.Folder) {
		if err != nil {
			t.Fatal(err)
		}
		all[e.Key] = string(get(t, disk, e.Key))
	}
	return all
}

// Whatever object is damaged or gone is sealed again, and the archive is what it was.
func TestHolesAreSealedAgain(t *testing.T) {
	sound, _ := copied(t)
	want := copies(t, sound.disk)
	for name := range want {
		for how, spoil := range map[string]func(w *world) error{
			"cut off": func(w *world) error { return w.disk.Put(ctx, name, []byte(want[name][:len(want[name])-1])) },
			"gone":    func(w *world) error { return w.disk.Delete(ctx, name) },
		} {
			if name == archive.HintKey {
				continue
			}
			w := sound.clone(t)
			if err := spoil(w); err != nil {
				t.Fatal(err)
			}
			w.sealHoles(t, name+" "+how)
			if how == "gone" { // the last one is the follower's
				if err := w.sealer(w.disk, 4).Seal(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if got := copies(t, w.disk); got[name] != want[name] || len(got) != len(want) {
				t.Errorf("%s, %s: it is not as it was", name, how)
			}
		}
	}
}

// sealHoles seals what an audit tells of.
func (w *world) sealHoles(t *testing.T, what string) {
	t.Helper()
	done, _ := w.audited(t)
	for _, h := range done.Holes {
		var aside []string
		err := archive.Seal(ctx, w.options(w.disk), h, func(_ context.Context, key string) error {
			aside = append(aside, key)
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %s: %v", what, h, err)
		}
		if !slices.Equal(aside, h.Damaged) {
			t.Errorf("%s: put aside are %q, damaged %q", what, aside, h.Damaged)
		}
	}
	if _, wrong := w.audited(t); len(wrong) > 0 {
		t.Errorf("%s: afterwards %v", what, wrong)
	}
}

// A follower that starts behind a hole among the newest segments seals it in the place
// where it is, and goes on behind those that are there.
func TestAFollowerFillsHoles(t *testing.T) {
	for _, gone := range [][]journal.Seq{{5}, {5, 9, 13}, {9, 17}, {21}} {
		w, incarnation := copied(t)
		want := copies(t, w.disk)
		for _, first := range gone {
			for _, name := range []string{archive.EventsKey(incarnation, first), archive.DocumentsKey(incarnation, first)} {
				if _, there := want[name]; !there {
					continue
				}
				if err := w.disk.Delete(ctx, name); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.sealer(w.disk, 500).Seal(ctx); err != nil {
			t.Fatal(err)
		}
		if _, wrong := w.audited(t); len(wrong) > 0 {
			t.Errorf("without %v: %v", gone, wrong)
		}
		w.wantAll(t)
	}
}

// What is of another history is never replaced, be it damaged or not.
func TestStrangeObjectsStay(t *testing.T) {
	w, incarnation := copied(t)
	name := archive.EventsKey(incarnation, 9)
	other := strings.Replace(string(get(t, w.disk, name)), lake.String(), "0199a3c2-7f4e-7c11-9d52-3b8f6a1e0c48", 1)
	if err := w.disk.Put(ctx, name, []byte(other)); err != nil {
		t.Fatal(err)
	}
	done, wrong := w.audited(t)
	if len(done.Holes) != 1 || len(wrong) != 1 {
		t.Fatalf("%v, %v", done.Holes, wrong)
	}
	err := archive.Seal(ctx, w.options(w.disk), done.Holes[0], func(context.Context, string) error { return nil })
	if !errors.Is(err, archive.ErrSecondWriter) || string(get(t, w.disk, name)) != other {
		t.Errorf("%v", err)
	}
}

// Documents that the journal keeps in another form are not what the events name.
func TestOtherDocumentsAreNotSealed(t *testing.T) {
	w, incarnation := copied(t)
	first := w.firstDocument(t)
	if err := w.disk.Delete(ctx, archive.DocumentsKey(incarnation, first)); err != nil {
		t.Fatal(err)
	}
	done, _ := w.audited(t)
	without := journal.NewMemory()
	for _, e := range w.all {
		e.Documents = nil
		if err := without.Append(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	w.journal = without
	if err := archive.Seal(ctx, w.options(w.disk), done.Holes[0], nil); !errors.Is(err, archive.ErrOtherDocuments) {
		t.Errorf("%v", err)
	}
}

// Stopped at any call of the store, done or not, sealing again goes on when it is run again.
func TestSealingAgainIsStopped(t *testing.T) {
	sound, incarnation := copied(t)
	want := copies(t, sound.disk)
	spoilt := func() *world {
		w := sound.clone(t)
		w.spoil(t, archive.EventsKey(incarnation, 17), func(data []byte) []byte { return data[1:] })
		w.spoil(t, archive.DocumentsKey(incarnation, 17), func(data []byte) []byte { return data[1:] })
		for _, name := range []string{archive.EventsKey(incarnation, 5), archive.EventsKey(incarnation, 9), archive.DocumentsKey(incarnation, 21)} {
			if err := w.disk.Delete(ctx, name); err != nil {
				t.Fatal(err)
			}
		}
		return w
	}
	for _, fault := range []faulty.Fault{faulty.Before(errors.New("not done")), faulty.After(errors.New("done"))} {
		for at, failed := 0, true; failed; at++ {
			w := spoilt()
			done, _ := w.audited(t)
			failed = false
			for _, h := range done.Holes {
				o := w.options(failing(w.disk, func(call int) faulty.Fault {
					if call == at {
						return fault
					}
					return faulty.Fault{}
				}))
				if err := archive.Seal(ctx, o, h, func(context.Context, string) error { return nil }); err != nil {
					failed = true
				}
			}
			w.sealHoles(t, "again")
			if diff := cmp.Diff(want, copies(t, w.disk)); diff != "" {
				t.Fatalf("%v at call %d:\n%s", fault, at, diff)
			}
		}
	}
}
