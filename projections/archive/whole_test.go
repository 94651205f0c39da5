package archive_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections/archive"
)

// whole reads what Whole leaves of the current incarnation.
func (w *world) whole(t *testing.T) (a *archive.Archive, kept []journal.Entry, lost []error) {
	t.Helper()
	a, lost, err := archive.Whole(ctx, w.disk, lake)
	if err != nil {
		t.Fatal(err)
	}
	if a != nil {
		kept = entries(t, a.Warehouse(lake), 0)
	}
	return a, kept, lost
}

// Whatever events are damaged or gone: the segments before them stay, and the loss is
// told.
func TestWholeEndsBeforeTheDamage(t *testing.T) {
	sound, incarnation := copied(t)
	if _, kept, lost := sound.whole(t); len(lost) > 0 || len(kept) != len(sound.all) {
		t.Fatalf("of a sound archive %d of %d events are left, lost: %v", len(kept), len(sound.all), lost)
	}
	for name := range strings.Lines(sound.names(t)) {
		if name = strings.TrimSpace(name); !strings.HasSuffix(name, ".events") {
			continue
		}
		for how, spoil := range map[string]func(w *world){
			"cut off": func(w *world) { w.spoil(t, name, func(data []byte) []byte { return data[:len(data)-1] }) },
			"gone": func(w *world) {
				if err := w.disk.Delete(ctx, name); err != nil {
					t.Fatal(err)
				}
			},
		} {
			w := sound.clone(t)
			spoil(w)
			before := 0
			for name != archive.EventsKey(incarnation, journal.Seq(before+1)) {
				before++
			}
			_, kept, lost := w.whole(t)
			if diff := cmp.Diff(w.all[:before], kept, same, cmpopts.IgnoreFields(journal.Entry{}, "Request")); diff != "" {
				t.Errorf("%s, %s (-want +kept):\n%s", name, how, diff)
			}
			last := before+4 >= len(w.all) && how == "gone"
			if !last && len(lost) == 0 { // nobody can know of a last segment that is gone
				t.Errorf("%s, %s: nothing is told", name, how)
			}
		}
	}
}

// A lineage leads through whole incarnations only, and without the last one nothing is
// true. What lies there of another warehouse is no loss of this one.
func TestWholeOfSeveralIncarnations(t *testing.T) {
	sound, first := copied(t)
	parent := sound.all[len(sound.all)-1].Event
	start, chain, err := journal.NewChain(lake, uuid.New(), 1_000_000).Next(journal.Draft{
		Warehouse: lake, ID: uuid.New(), Cause: parent.Cause,
		Body: journal.IncarnationStarted{Location: "s3://lake/wh", Name: "lake", Parent: &parent.Position, Reason: "recovery"},
	}, journal.At(journaltest.Start))
	if err != nil {
		t.Fatal(err)
	}
	sound.pending = []journal.Entry{start}
	sound.grow(t, 1)
	if err := sound.sealer(sound.disk, 4).Seal(ctx); err != nil {
		t.Fatal(err)
	}
	incarnations := func(w *world) (ids []uuid.UUID) {
		a, _, _ := w.whole(t)
		if a == nil {
			return nil
		}
		all, err := a.Incarnations(ctx, lake)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range all {
			ids = append(ids, i.ID)
		}
		return ids
	}
	second := chain.Head.Incarnation
	for name, c := range map[string]struct {
		spoil string
		want  []uuid.UUID
	}{
		"nothing":              {"", []uuid.UUID{first, second}},
		"in the first":         {archive.EventsKey(first, 5), []uuid.UUID{second}},
		"the last's beginning": {archive.EventsKey(second, 1_000_001), nil},
	} {
		w := sound.clone(t)
		if c.spoil != "" {
			w.spoil(t, c.spoil, func(data []byte) []byte { return data[1:] })
		}
		if got := incarnations(w); !cmp.Equal(got, c.want) {
			t.Errorf("%s is damaged: left are %v, want %v", name, got, c.want)
		}
	}
	if a, lost, err := archive.Whole(ctx, sound.disk, uuid.New()); a != nil || len(lost) == 0 || err != nil {
		t.Errorf("of another warehouse: %v, %v, %v", a, lost, err)
	}
}
