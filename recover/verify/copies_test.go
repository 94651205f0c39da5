package verify_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/rest/catalog"
)

// begin starts another incarnation, in which nothing is yet, and whose journal keeps
// no documents.
func (w *world) begin(t *testing.T) {
	t.Helper()
	head, err := w.journal.Warehouse(w.id).Head(t.Context())
	w.must(err)
	w.beginAt(t, &head, 999_999)
}

// beginAt goes on after an event, with the seqs after one.
func (w *world) beginAt(t *testing.T, parent *journal.Position, before journal.Seq) {
	t.Helper()
	start := journal.IncarnationStarted{Build: "test", Name: "lake", Location: location, Reason: "recovered", Parent: parent}
	entry, _, err := journal.NewChain(w.id, uuid.New(), before).Next(
		journal.Draft{Warehouse: w.id, ID: uuid.Must(uuid.NewV7()), Cause: cause, Body: start}, journal.At(time.Now()))
	w.must(err)
	w.must(w.journal.Append(t.Context(), entry))
	w.tables = projections.NewMemory()
	w.must(projections.CatchUp(t.Context(), journal.Lineage(w.journal, w.id), 0, w.tables.Warehouse(w.id)))
	w.recorder, err = recorder.New(t.Context(), w.journal, w.tables, recorder.Options{})
	w.must(err)
	t.Cleanup(func() { w.must(w.recorder.Close()) })
	w.Catalog = catalog.New(catalog.Options{
		ID: w.id, Roots: w.roots(), Reader: w.recorder.Reader(w.id), Recorder: w.recorder, Journal: w.journal.Warehouse(w.id),
		Now: time.Now, MaxDocument: 1, DropKeep: time.Hour, PurgeGrace: time.Hour,
	})
	_, err = w.CreateNamespace(t.Context(), cause, journal.Namespace{"n"}, nil)
	w.must(err)
}

// TestRepairFromAnEarlierIncarnation: a file whose copy is only in a history that the
// current one continues is written again, gzip files byte for byte.
func TestRepairFromAnEarlierIncarnation(t *testing.T) {
	for _, table := range []string{"a", "gzip"} {
		t.Run(table, func(t *testing.T) {
			w := newWorld(t)
			w.table(table)
			o := w.commit(table)
			was := w.get(o.Pointer.MetadataLocation)
			w.begin(t)
			_, err := w.RegisterTable(t.Context(), cause, name(table), o.Pointer.MetadataLocation, false)
			w.must(err)
			w.anchored()
			if _, s := w.run(w.subject(), 3); len(s.kinds()) > 0 {
				t.Fatalf("found %v", s.findings)
			}
			w.must(w.files.Delete(t.Context(), w.key(o.Pointer.MetadataLocation)))
			w.mend(t, true)
			w.mend(t, false)
			if !bytes.Equal(w.get(o.Pointer.MetadataLocation), was) {
				t.Error("the file is not what it was")
			}
			if _, s := w.run(w.subject(), 4); len(s.kinds()) > 0 {
				t.Errorf("found afterwards: %v", s.findings)
			}
		})
	}
}

// TestWhatEarlierIncarnationsNameIsNoLeftover: the files of a table that the current
// one does not know yet are those of events all the same.
func TestWhatEarlierIncarnationsNameIsNoLeftover(t *testing.T) {
	w := newWorld(t)
	w.table("a")
	w.commit("a")
	w.begin(t)
	w.anchored()
	if _, s := w.run(w.subject(), 4); len(s.findings) > 0 || len(s.unseen) > 0 {
		t.Errorf("found %v, not seen %v", s.findings, s.unseen)
	}
}
