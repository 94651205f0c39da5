package verify_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"puddle/internal/warehouse/dir"
	"puddle/recover/verify"
)

// onDisk puts the files of a world into a folder, and answers it.
func (w *world) onDisk(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	store, err := dir.Open(folder)
	w.must(err)
	t.Cleanup(func() { store.Close() })
	for e, err := range w.files.List(t.Context(), "") {
		w.must(err)
		data, err := w.files.Get(t.Context(), e.Key, 1<<20)
		w.must(err)
		w.must(store.Create(t.Context(), e.Key, data))
	}
	w.files = store
	return folder
}

// TestLeftovers lists what writes that were cut off have left, as notes with their
// age, and nothing that an event names.
func TestLeftovers(t *testing.T) {
	w := whole(t)
	text := w.get(w.object("b").Pointer.MetadataLocation)
	folder := w.onDisk(t)
	if _, s := w.run(w.subject(), 4); len(s.findings) > 0 {
		t.Fatalf("found %v", s.findings)
	}
	began := time.Now()
	left := map[string]string{
		"_puddle/.puddle-tmp-AAAA":              "it is what a write that was cut off has left: nobody reads it (0 bytes, 26h0m0s old)",
		"b/metadata/.puddle-tmp-BBBB":           "it is what a write that was cut off has left: nobody reads it (7 bytes, 26h0m0s old)",
		"never/metadata/00000-x.metadata.json":  fmt.Sprintf("no event names it: a create was not recorded, or the table is in no catalog or in another one (%d bytes, 26h0m0s old)", len(text)),
		"torn/metadata/00000-y.metadata.json":   "no event names it, and it does not parse: a create was cut off, or another program put it there (9 bytes, 26h0m0s old)",
		"empty/metadata/00000-z.metadata.json":  "no event names it, and it does not parse: a create was cut off, or another program put it there (0 bytes, 26h0m0s old)",
		"torn/metadata/snap-1-manifest.avro":    "",
		"never/data/part-0.parquet":             "",
		"dropped/metadata/00000-u.metadata.jso": "",
	}
	for at, says := range left {
		data := []byte(nil)
		switch {
		case strings.Contains(says, "not recorded"):
			data = text
		case strings.Contains(says, "(7"):
			data = []byte("1234567")
		case strings.Contains(says, "(9"):
			data = []byte(`{"format-`)
		}
		at := filepath.Join(folder, at)
		w.must(os.MkdirAll(filepath.Dir(at), 0o755))
		w.must(os.WriteFile(at, data, 0o644))
		w.must(os.Chtimes(at, began, began.Add(-26*time.Hour)))
	}
	s := &told{}
	_, err := verify.Run(t.Context(), w.subject(), verify.Options{Level: 4, Began: began}, s)
	w.must(err)
	for _, f := range s.findings {
		key := strings.TrimPrefix(f.Place, location+"/")
		if f.Severity != verify.Note || f.Kind != verify.KindLeftover || f.Level != 4 || left[key] != f.Message || f.Message == "" {
			t.Errorf("told %+v, want %q", f, left[key])
		}
		delete(left, key)
	}
	if len(left) != 3 || len(s.unseen) > 0 {
		t.Errorf("not told: %q, not seen %v", left, s.unseen)
	}
	young := w.subject()
	young.Now, young.Settling = w.recorder.Reader(w.id), &verify.Settling{Age: time.Hour}
	result, s := w.run(young, 4)
	if again := began.Add(-26*time.Hour + time.Hour); len(s.findings) > 0 || result.Summary.TooYoung != 5 ||
		result.Summary.LookAgain.Before(again) || result.Summary.LookAgain.After(again.Add(time.Second)) {
		t.Errorf("files that are young: %v, %+v", s.findings, result.Summary)
	}
}

// TestLeftoversAreBounded: however many there are, a hundred are told, and how many
// more there are.
func TestLeftoversAreBounded(t *testing.T) {
	w := newWorld(t)
	w.anchored()
	for i := range 250 {
		w.put(fmt.Sprintf("%s/x%d/metadata/v1.metadata.json", location, i), bytes.Repeat([]byte("x"), i))
	}
	_, s := w.run(w.subject(), 4)
	if len(s.findings) != 101 || s.findings[100].Message != "and 150 more such files" || len(s.kinds()) > 0 {
		t.Errorf("%d told, the last %v", len(s.findings), s.findings[len(s.findings)-1])
	}
	if slices.ContainsFunc(s.findings, func(f verify.Finding) bool { return f.Kind != verify.KindLeftover }) {
		t.Error(s.findings)
	}
}
