package verify_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"puddle/projections/archive"
	"puddle/recover/verify"
)

// What is wrong with the archive is told by its object; what is beyond the journal is
// worse than damage.
func TestArchiveIsCompared(t *testing.T) {
	w := newWorld(t)
	w.anchored()
	w.must(archived(t, w))
	_, told := w.run(w.subject(), 1)
	findings := told.findings
	if len(findings) > 0 {
		t.Fatalf("of a whole archive: %v", findings)
	}
	var key string
	for e, err := range w.files.List(t.Context(), archive.Folder) {
		w.must(err)
		if e.Key != archive.Folder+"/HEAD" {
			key = e.Key
		}
	}
	data, err := w.files.Get(t.Context(), key, 1<<20)
	w.must(err)
	w.must(w.files.Put(t.Context(), key, data[:len(data)-1]))
	_, told = w.run(w.subject(), 1)
	findings = told.findings
	if len(findings) != 1 || findings[0].Kind != verify.KindArchive || findings[0].Severity != verify.Warning || findings[0].Place != key {
		t.Errorf("found %v", findings)
	}
}

// What is damaged of a past that the journal does not hold is a note: nothing mends it, and
// no repair tries to.
func TestArchiveOfAPastThatWasLeft(t *testing.T) {
	w, old := newWorld(t), newWorld(t)
	w.anchored()
	w.must(archived(t, old))
	all, err := old.journal.Incarnations(t.Context(), old.id)
	w.must(err)
	key := fmt.Sprintf("%s/%s/%020d.events", archive.Folder, all[0].ID, 1)
	data, err := old.files.Get(t.Context(), key, 1<<20)
	w.must(err)
	w.must(w.files.Create(t.Context(), key, data[1:]))
	result, found := w.run(w.subject(), 1)
	at := slices.IndexFunc(found.findings, func(f verify.Finding) bool { return f.Place == key })
	if at < 0 || found.findings[at].Severity != verify.Note || found.findings[at].Next != "" {
		t.Errorf("found %v", found.findings)
	}
	repaired := &told{}
	w.must(verify.Repair{At: time.Now()}.Mend(t.Context(), w.subject(), result, repaired))
	if len(repaired.findings) > 0 {
		t.Errorf("repaired %v", repaired.findings)
	}
}

// archived seals what the journal has.
func archived(t *testing.T, w *world) error {
	f := archive.Follow(archive.Options{ID: w.id, Store: w.files, From: w.journal, Mode: archive.Async, Failed: func(err error) { t.Error(err) }})
	return f.Close(t.Context())
}
