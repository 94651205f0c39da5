package verify_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"puddle/recover/verify"
)

// TestNoFalseAlarmBesideCommits verifies a catalog again and again while tables are
// made, committed to, renamed and dropped, and their old files deleted: it never
// finds anything.
func TestNoFalseAlarmBesideCommits(t *testing.T) {
	w := newWorld(t)
	w.table("a")
	w.anchored()
	stop, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		for stop.Err() == nil {
			before := w.commit("a")
			w.commit("a")
			// As clean-up of old versions does.
			if err := w.files.Delete(t.Context(), w.key(before.Pointer.MetadataLocation)); err != nil {
				t.Error(err)
			}
		}
	})
	group.Go(func() {
		for stop.Err() == nil {
			o := w.table("b")
			w.must(w.RenameTable(t.Context(), cause, name("b"), name("c")))
			w.must(w.DropTable(t.Context(), cause, name("c"), false))
			if err := w.files.Delete(t.Context(), w.key(o.Pointer.MetadataLocation)); err != nil {
				t.Error(err)
			}
		}
	})
	subject := w.subject()
	subject.Now, subject.Settling = w.recorder.Reader(w.id), &verify.Settling{Age: time.Hour}
	for range 15 {
		result, s := w.run(subject, 4)
		if len(s.findings)+len(s.unseen) > 0 || !result.Whole || result.TablesDiffer {
			t.Errorf("found %v, %v", s.findings, s.unseen)
		}
	}
	cancel()
	group.Wait()
}

// TestSample looks at a share of the tables, and at others with another seed.
func TestSample(t *testing.T) {
	w := newWorld(t)
	for _, s := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"} {
		w.table(s)
	}
	counts := map[int64]bool{}
	all := int64(0)
	for seed := range uint64(20) {
		s := &told{}
		result, err := verify.Run(t.Context(), w.subject(), verify.Options{Level: 3, Sample: 0.25, Seed: seed}, s)
		w.must(err)
		counts[result.Summary.Objects] = true
		all += result.Summary.Objects
	}
	if all < 20 || all > 120 || len(counts) < 2 {
		t.Errorf("%d looks in 20 runs over 12 tables, %v", all, counts)
	}
}
