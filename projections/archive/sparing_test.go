package archive_test

import (
	"bytes"
	"strings"
	"testing"

	"puddle/journal"
	"puddle/projections/archive"
)

// What is wrong with documents is told of each, and those that can be made are there.
func TestDamagedDocumentsEndNothing(t *testing.T) {
	sound, incarnation := copied(t)
	name := archive.DocumentsKey(incarnation, 21)
	for how, c := range map[string]struct {
		spoil func(data []byte) []byte
		lost  bool // documents are
	}{
		"gone":       {nil, true},
		"its magic":  {func(d []byte) []byte { d[0] ^= 1; return d }, false},
		"its header": {func(d []byte) []byte { return bytes.Replace(d, []byte(`{"bytes":`), []byte(`{"bytes":x`), 1) }, false},
		"its end":    {func(d []byte) []byte { return d[:len(d)-1] }, true},
		"a document": {func(d []byte) []byte { d[len(d)-5] ^= 1; return d }, true},
		"longer":     {func(d []byte) []byte { return append(d, 0) }, false},
	} {
		w := sound.clone(t)
		if c.spoil == nil {
			if err := w.disk.Delete(ctx, name); err != nil {
				t.Fatal(err)
			}
		} else {
			w.spoil(t, name, c.spoil)
		}
		a, kept, told := w.whole(t)
		lost := map[journal.Seq]bool{}
		for _, l := range a.Lost() {
			lost[l.At.Seq] = true
			if !strings.Contains(l.String(), archive.Folder) || !strings.Contains(l.String(), l.File) || l.File == "" {
				t.Errorf("%s: %s", how, l)
			}
		}
		if len(kept) != len(w.all) || len(told) > 0 || c.lost != (len(lost) > 0) {
			t.Errorf("%s: %d of %d events, %v told, lost: %v", how, len(kept), len(w.all), told, a.Lost())
		}
		for i, e := range w.all {
			want := len(e.Documents)
			if lost[e.Event.Seq] {
				want = 0
			}
			if len(kept[i].Documents) != want {
				t.Errorf("%s: event %d has %d documents, want %d", how, e.Event.Seq, len(kept[i].Documents), want)
			}
		}
	}
}

// What is left of the documents is taken over, whatever is built on what.
func TestLostDocumentsAreBuiltOn(t *testing.T) {
	w, incarnation := copied(t)
	if err := w.disk.Delete(ctx, archive.DocumentsKey(incarnation, w.firstDocument(t))); err != nil {
		t.Fatal(err)
	}
	a, kept, _ := w.whole(t)
	into := journal.NewMemory()
	for _, e := range kept {
		if err := into.Append(ctx, e); err != nil {
			t.Fatalf("event %d: %v", e.Event.Seq, err)
		}
	}
	if len(a.Lost()) < 2 {
		t.Errorf("lost are %v", a.Lost())
	}
}

// firstDocument is the segment that has the first document.
func (w *world) firstDocument(t *testing.T) journal.Seq {
	t.Helper()
	for i, e := range w.all {
		if len(e.Documents) > 0 {
			return journal.Seq(i/4*4 + 1)
		}
	}
	t.Fatal("there are no documents")
	return 0
}
