package verify_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/recover/verify"
)

// TestLeftByARecovery: files that a recovery went back behind are told as that, through
// further recoveries, and nobody is told to go on from them. What another catalog made
// beside them is found as ever.
func TestLeftByARecovery(t *testing.T) {
	w := newWorld(t)
	first := w.table("a").Pointer.MetadataLocation
	parent, err := w.journal.Warehouse(w.id).Head(t.Context())
	w.must(err)
	for range 3 {
		w.commit("a")
	}
	last := w.object("a").Pointer.MetadataLocation
	check := func(notes int, kinds ...verify.Kind) *told {
		t.Helper()
		w.anchored()
		_, s := w.run(w.subject(), 4)
		n := 0
		for _, f := range s.findings {
			if f.Severity != verify.Note || f.Kind == verify.KindNotKept {
				continue
			}
			n++
			says := "it was left by the recovery as of " + parent.String() + ": event " + parent.Incarnation.String() + ":"
			if f.Kind != verify.KindNewer || f.Next != "" || !strings.HasPrefix(f.Message, says) {
				t.Errorf("told %+v, want %q", f, says)
			}
		}
		if n != notes || !slices.Equal(s.kinds(), kinds) || len(s.unseen) > 0 {
			t.Fatalf("found %d notes and %v, %v", n, s.kinds(), s.findings)
		}
		return s
	}
	check(0)
	for i := range 2 { // the second leaves the first, in which nothing happened to the table
		w.beginAt(t, &parent, journal.Seq(i+1)*1_000_000-1)
		_, err = w.RegisterTable(t.Context(), cause, name("a"), first, false)
		w.must(err)
		check(3)
	}
	w.put(location+"/a/metadata/00001-x.metadata.json", bytes.Replace(w.get(first), []byte(`"metadata-log":[`),
		[]byte(`"metadata-log":[{"timestamp-ms":1,"metadata-file":"`+first+`"}`), 1))
	s := check(3, verify.KindNewer)
	if i := slices.IndexFunc(s.findings, func(f verify.Finding) bool { return f.Severity == verify.Warning }); s.findings[i].Next == "" {
		t.Error("it is not told what to do about another catalog's file")
	}
	w.must(w.files.Delete(t.Context(), w.key(location+"/a/metadata/00001-x.metadata.json")))
	w.commit("a")
	check(0)
	w.must(w.files.Delete(t.Context(), w.key(last)))
	check(0)
}

// TestImportedHistoryNamesFiles: the file of a table that only imported history knows is
// no leftover.
func TestImportedHistoryNamesFiles(t *testing.T) {
	w := newWorld(t)
	w.table("gone")
	text := w.get(w.object("gone").Pointer.MetadataLocation)
	at := location + "/old/metadata/00000-old.metadata.json"
	w.put(at, text)
	to := &journal.To{Identifier: name("old"), Pointer: w.object("gone").Pointer, Location: location + "/old"}
	to.Pointer.MetadataLocation = at
	_, err := w.recorder.Record(t.Context(), journal.Draft{Warehouse: w.id, ID: uuid.Must(uuid.NewV7()), Cause: cause, Body: journal.HistoryImported{
		Steps: []journal.ImportedStep{{
			Actor: cause.Actor, At: time.Now().UnixMilli(), Event: uuid.New(), Kind: journal.KindTableCreated, Seq: 1,
			Move: journal.Move{Kind: journal.Table, UUID: uuid.New(), To: to},
		}},
	}})
	w.must(err)
	w.anchored()
	if _, s := w.run(w.subject(), 4); len(s.findings) > 0 {
		t.Errorf("found %v", s.findings)
	}
}
