package verify_test

import (
	"bytes"
	"strings"
	"testing"

	"puddle/recover/verify"
)

// However many documents the journal does not keep, one note tells of them.
func TestDocumentsThatAreNotKeptAreCounted(t *testing.T) {
	w := worldKeeping(t, 1)
	first := w.table("a")
	for _, c := range []struct {
		count int64
		says  string
	}{
		{1, "the journal keeps no copy of " + first.Pointer.MetadataLocation + " ("},
		{3, "the journal keeps no copy of 3 metadata files, of which this is the first: " + first.Pointer.MetadataLocation + " ("},
	} {
		if c.count > 1 {
			w.commit("a")
			w.commit("a")
		}
		w.anchored()
		result, s := w.run(w.subject(), 1)
		if result.Summary.NotKept != c.count || len(s.findings) != 1 || !result.Whole {
			t.Fatalf("%d documents: %+v, %v", c.count, result.Summary, s.findings)
		}
		f := s.findings[0]
		if f.Severity != verify.Note || f.Kind != verify.KindNotKept || f.Seq != 3 || f.Incarnation == "" || !strings.HasPrefix(f.Message, c.says) {
			t.Errorf("%d documents: %+v, want %q", c.count, f, c.says)
		}
	}
}

// A repair that has no copy says what can be done instead: move the table to the
// newest file, but where none descends from the lost one, choose from its history.
func TestWhatARepairWithoutACopyNames(t *testing.T) {
	w := worldKeeping(t, 1)
	o := w.table("a")
	data := w.get(o.Pointer.MetadataLocation)
	w.anchored()
	w.must(w.files.Delete(t.Context(), w.key(o.Pointer.MetadataLocation)))
	next := func() string {
		t.Helper()
		result, _ := w.run(w.subject(), 3)
		s := &told{}
		w.must(verify.Repair{DryRun: true, At: at}.Mend(t.Context(), w.subject(), result, s))
		if len(s.findings) != 1 || s.findings[0].Kind != verify.KindRefused {
			t.Fatalf("told %v, %v", s.findings, s.unseen)
		}
		return s.findings[0].Next
	}
	newest := "puddle repoint lake " + o.UUID.String() + " --newest --reason TEXT --dry-run"
	chosen := "puddle history lake " + o.UUID.String() + " --check, and then puddle repoint lake " + o.UUID.String() +
		" --to FILE --allow-rewind --reason TEXT --dry-run"
	if got := next(); got != chosen {
		t.Errorf("no file: %q, want %q", got, chosen)
	}
	put := func(file, from string) {
		entry := `"metadata-log":[{"timestamp-ms":1,"metadata-file":"` + from + `"}`
		w.put(location+"/a/metadata/"+file, bytes.Replace(data, []byte(`"metadata-log":[`), []byte(entry), 1))
	}
	put("other.metadata.json", location+"/a/metadata/elsewhere.metadata.json")
	if got := next(); got != chosen {
		t.Errorf("a file from elsewhere: %q, want %q", got, chosen)
	}
	put("00001-x.metadata.json", o.Pointer.MetadataLocation)
	if got := next(); got != newest {
		t.Errorf("a file that descends: %q, want %q", got, newest)
	}
}
