package verify_test

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"puddle/internal/warehouse"
	"puddle/recover/verify"
)

// later is a store in which something happens before it is walked.
type later struct {
	warehouse.Store
	before func()
}

// Find implements warehouse.Finder.
func (s later) Find(ctx context.Context, wants func(name string) bool) iter.Seq2[warehouse.Entry, error] {
	s.before()
	return s.Store.(warehouse.Finder).Find(ctx, wants)
}

// TestLeftoversOfALongWalk: a walk may take hours. The file of a table that was
// created meanwhile is old by then, and still no leftover.
func TestLeftoversOfALongWalk(t *testing.T) {
	w := whole(t)
	memory := w.files
	folder := w.onDisk(t)
	began := time.Now().Add(-time.Hour)
	w.files = later{w.files, func() {
		key := w.key(w.table("late").Pointer.MetadataLocation)
		text, err := memory.Get(t.Context(), key, 1<<20)
		w.must(err)
		at := filepath.Join(folder, key)
		w.must(os.MkdirAll(filepath.Dir(at), 0o755))
		w.must(os.WriteFile(at, text, 0o644))
		w.must(os.Chtimes(at, began, began.Add(time.Minute)))
	}}
	subject := w.subject()
	subject.Now, subject.Settling = w.recorder.Reader(w.id), &verify.Settling{At: began, Age: 10 * time.Minute}
	if _, s := w.run(subject, 4); len(s.findings)+len(s.unseen) > 0 {
		t.Errorf("found %v, not seen %v", s.findings, s.unseen)
	}
}
